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

/** The outcome of the conversion of one spec by a function. */
function outcomeOf(convert: (spec: never) => unknown, spec: object, [from, to] = ["v1", "v2"]): string {
  const resource = defineResource({
    group: "a.b",
    kind: "Disk",
    versions: {
      v1: { spec: s.object({ size: s.string(), note: s.string().optional() }) },
      v2: { spec: s.object({ sizeGi: s.int32().min(1), note: s.string().optional() }), storage: true },
    },
    convert: { "v1->v2": convert as never, "v2->v1": convert as never },
  } as never) as unknown as Resource;
  const object = { apiVersion: `a.b/${from}`, kind: "Disk", metadata: { name: "x" }, spec };
  const conversion = converting([resource])({ uid: "u", desiredAPIVersion: `a.b/${to}`, objects: [object] });
  return conversion.outcome === "failed"
    ? conversion.message
    : JSON.stringify(conversion.objects[0]?.["spec" as never]);
}

test("checks the result of a conversion against the schema of the target version", () => {
  assert.equal(
    outcomeOf(() => ({ sizeGi: 3 }), { size: "3Gi" }),
    '{"sizeGi":3}',
  );
  for (const [result, mistake] of [
    [{ sizeGi: "3" }, /spec\.sizeGi: Invalid value: "string": .*must be of type integer/u],
    [{ sizeGi: 3, colour: "red" }, /spec\.colour is not in the schema of v2/u],
    [{}, /spec\.sizeGi: Required value/u],
    [{ sizeGi: 0 }, /spec\.sizeGi: Invalid value: 0: .*greater than or equal to 1/u],
  ] as const)
    assert.match(
      outcomeOf(() => result, { size: "3Gi" }),
      new RegExp(`convert\\["v1->v2"\\] returned a spec that is not one of v2: ${mistake.source}.* Correct`, "u"),
    );
});

test("leaves partial specs and unknown fields of the user unchanged", () => {
  const pass = (spec: object): object => spec;
  assert.equal(outcomeOf(pass, { note: "n" }), '{"note":"n"}');
  assert.equal(outcomeOf(pass, { note: "n", odd: 1 }), '{"note":"n","odd":1}');
});
