import assert from "node:assert/strict";
import { test } from "node:test";
import { parseQuery } from "./query.ts";

test("values keep bytes that are not UTF-8, and malformed pairs are dropped", () => {
  const query = parseQuery("a=%ff&a=b+c&%ff=1&x=%zz&y=1;2&z=%C3%A4&flag&");
  assert.deepEqual(query.getAll("a"), ["\udcff", "b c"]);
  assert.equal(query.get("\udcff"), "1");
  assert.equal(query.get("z"), "ä");
  assert.equal(query.get("flag"), "");
  assert.deepEqual(
    ["x", "y", "a"].map((name) => query.has(name)),
    [false, false, true],
  );
});

test("a question mark at the start belongs to the first name", () => {
  assert.equal(parseQuery("?limit=1").get("limit"), null);
  assert.equal(parseQuery("?limit=1").get("?limit"), "1");
});
