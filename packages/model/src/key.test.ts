import assert from "node:assert/strict";
import { test } from "node:test";
import { formatKey, keyOf, parseKey } from "./key.ts";

test("a key is namespace/name, or the bare name of a cluster-scoped object", () => {
  assert.equal(formatKey(keyOf({ metadata: { namespace: "a", name: "b" } })), "a/b");
  assert.equal(formatKey(keyOf({ metadata: { name: "b" } })), "b");
});

test("reading a key is the inverse of writing it", () => {
  for (const key of [
    { namespace: "a", name: "b" },
    { namespace: "", name: "b" },
  ]) {
    assert.deepEqual(parseKey(formatKey(key)), key);
  }
});
