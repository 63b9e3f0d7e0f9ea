import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { jsonPatchBetween, mergePatchBetween } from "./patch-between.ts";

test("a merge patch holds the changes, and null for removed fields", () => {
  const from = { metadata: { labels: { a: "1", b: "2" } }, spec: { size: 1, list: [1, 2] } };
  const to = { metadata: { labels: { a: "1", c: "3" } }, spec: { size: 1, list: [1] } };
  assert.deepEqual(mergePatchBetween<object>(from, to), {
    metadata: { labels: { b: null, c: "3" } },
    spec: { list: [1] },
  });
  assert.equal(mergePatchBetween(from, structuredClone(from)), undefined);
});

test("a JSON patch escapes its pointers", () => {
  const from: object = { metadata: { annotations: { "example.com/a": "1" } } };
  const to: object = { metadata: { annotations: { "example.com/a": "2" } }, spec: {} };
  assert.deepEqual(jsonPatchBetween(from, to), [
    { op: "replace", path: "/metadata/annotations/example.com~1a", value: "2" },
    { op: "add", path: "/spec", value: {} },
  ]);
  assert.deepEqual(jsonPatchBetween(to, to), []);
});

/** RFC 7386. */
function merged(target: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const base = typeof target === "object" && target !== null && !Array.isArray(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) Reflect.deleteProperty(base, key);
    else Reflect.set(base, key, merged(Reflect.get(base, key), value));
  }
  return base;
}

test("a merge patch transforms any object into any other without nulls", () => {
  const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.array(fc.integer(), { maxLength: 3 }));
  const tree = fc.letrec<{ tree: object; value: unknown }>((tie) => ({
    value: fc.oneof({ maxDepth: 3 }, leaf, tie("tree")),
    tree: fc.dictionary(fc.constantFrom("a", "b", "c/d"), tie("value"), { noNullPrototype: true }),
  })).tree;
  fc.assert(
    fc.property(tree, tree, (from, to) => assert.deepEqual(merged(from, mergePatchBetween(from, to) ?? {}), to)),
  );
});
