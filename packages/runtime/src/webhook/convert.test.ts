import assert from "node:assert/strict";
import { test } from "node:test";
import { defineResource, s } from "@capstan/schema";
import type { Resource } from "@capstan/schema";
import { converting } from "./convert.ts";

test("rejects a conversion result that is not a spec, instead of storing it", () => {
  const one = defineResource({ group: "a.b", version: "v1", kind: "Odd", spec: s.object({}) }) as unknown as Resource;
  const versions = { v1: { ...one.versions.v1, storage: true }, v2: { ...one.versions.v1, storage: false } };
  for (const [answer, told] of [
    [undefined, "nothing"],
    [null, "nothing"],
    [[], "a list"],
    ["spec", "a string"],
    [Promise.resolve({}), "a promise"],
    [{ size: Number.NaN }, "something that JSON does not have: spec.size is NaN"],
    [{ size: new Map([["a", 1]]) }, "something that JSON does not have: spec.size is a Map"],
  ] as const) {
    const resource = { ...one, versions, conversions: { "v1->v2": () => answer } } as unknown as Resource;
    const object = { apiVersion: "a.b/v1", kind: "Odd", metadata: { name: "x" }, spec: {} };
    assert.deepEqual(converting([resource])({ uid: "u", desiredAPIVersion: "a.b/v2", objects: [object] }), {
      outcome: "failed",
      message: `could not convert Odd x from a.b/v1 to a.b/v2: convert["v1->v2"] answered ${told.includes("JSON") ? told : `${told} instead of a spec`}`,
    });
  }
});
