import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { defineResource } from "./resource.ts";
import { s } from "./s.ts";

const define = (one: Parameters<typeof s.object>[0], other: Parameters<typeof s.object>[0]): unknown =>
  defineResource({
    group: "example.com",
    kind: "Widget",
    versions: {
      v1: { spec: s.object({}), status: s.object(one) },
      v2: { spec: s.object({}), status: s.object(other), storage: true },
    },
    convert: { "v1->v2": (spec) => spec, "v2->v1": (spec) => spec },
  });

describe("statuses of several versions", () => {
  test("may each have different fields, and common ones of the same type", () => {
    define({ ready: s.boolean(), url: s.string() }, { ready: s.boolean(), endpoints: s.array(s.string()) });
  });

  const ready = [{ ready: s.int32() }, { ready: s.boolean() }] as const;
  const nested = [{ members: s.array(s.string()) }, { members: s.array(s.object({ name: s.string() })) }] as const;
  const required = [
    { leader: s.object({ id: s.string() }) },
    { leader: s.object({ id: s.string(), term: s.int32() }) },
  ] as const;
  for (const [what, [one, other], path] of [
    ["a type", ready, "versions.v1.status.ready"],
    ["a type of items", nested, "versions.v1.status.members[*]"],
    ["a field that one requires", required, "versions.v1.status.leader.term"],
  ] as const) {
    test(`that differ in ${what} are rejected with the field, whichever is stored`, () => {
      const refused = { code: "BadConversion", message: new RegExp(path.replaceAll(/[.[\]*]/gu, "\\$&"), "u") };
      assert.throws(() => define(one, other), refused);
      assert.throws(() => define(other, one), refused);
    });
  }
});
