import assert from "node:assert/strict";
import { test } from "node:test";
import { controllerOf } from "./explain.ts";

const known = [
  { name: "memcached", resource: "memcacheds.cache.example.com" },
  { name: "backup", resource: "memcacheds.cache.example.com" },
  { name: "site", resource: "sites.web.example.com" },
];

test("a controller is meant by its name or by its kind, as kubectl takes it", () => {
  for (const [word, controller] of [
    ["backup", "backup"],
    ["Memcached", "memcached"],
    ["sites", "site"],
    ["sites.web.example.com", "site"],
  ] as const)
    assert.equal(controllerOf(word, known), controller);
});

test("a controller that is not there is answered with those that are", () => {
  assert.throws(() => controllerOf("nosuch", known), {
    code: "BadInput",
    message: 'there is no controller "nosuch": the operator has memcached, backup, site',
  });
});

test("where the controllers are not known, the operator is asked", () => {
  assert.equal(controllerOf("anything", []), "anything");
});
