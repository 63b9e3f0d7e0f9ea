import assert from "node:assert/strict";
import { test } from "node:test";
import { controllerOf } from "./explain.ts";

const known = [
  { name: "memcached", resource: "memcacheds.cache.example.com" },
  { name: "backup", resource: "memcacheds.cache.example.com" },
  { name: "site", resource: "sites.web.example.com" },
];

test("a controller is found by its name or by its kind, as in kubectl", () => {
  for (const [word, controller] of [
    ["backup", "backup"],
    ["Memcached", "memcached"],
    ["sites", "site"],
    ["sites.web.example.com", "site"],
  ] as const)
    assert.equal(controllerOf(word, known), controller);
});

test("an unknown controller fails with the list of known ones", () => {
  assert.throws(() => controllerOf("nosuch", known), {
    code: "BadInput",
    message: 'there is no controller "nosuch": the operator has memcached, backup, site',
  });
});

test("an unknown list of controllers leaves the name to the operator", () => {
  assert.equal(controllerOf("anything", []), "anything");
});
