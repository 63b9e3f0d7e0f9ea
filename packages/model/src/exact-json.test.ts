import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseExactJson, parseWithNumbers } from "./exact-json.ts";
import { toGoJson } from "./go-text.ts";

test("integers of 64 bits come through unchanged", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
      const text = `{"a":[${value}, {"b":${value}}]}`;
      assert.equal(toGoJson(parseExactJson(text)), text.replace(" ", ""));
    }),
  );
});

test("exact numbers stay numbers, and strings stay strings", () => {
  assert.deepEqual(parseExactJson('{"a":9007199254740991,"b":1.5,"c":", 9007199254740993","d":1e3}'), {
    a: 9_007_199_254_740_991,
    b: 1.5,
    c: ", 9007199254740993",
    d: 1000,
  });
});

test("numbers that are not 64-bit integers are handled by the given function", () => {
  const seen: string[] = [];
  parseWithNumbers("[1.0,1e400,9223372036854775808,-0.50,1.5,7]", (text) => seen.push(text));
  assert.deepEqual(seen, ["1.0", "1e400", "9223372036854775808", "-0.50"]);
});
