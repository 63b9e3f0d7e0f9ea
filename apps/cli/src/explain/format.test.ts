import assert from "node:assert/strict";
import { test } from "node:test";
import { formatFields } from "./format.ts";

test("a few fields are named, of many the first, and one is never counted for itself", () => {
  const fields = ["a", "b", "c", "d", "e", "f"];
  assert.equal(formatFields(fields.slice(0, 4)), "a, b, c, d");
  assert.equal(formatFields(fields.slice(0, 5)), "a, b, c, d, e");
  assert.equal(formatFields(fields), "a, b, c, d and 2 more");
});
