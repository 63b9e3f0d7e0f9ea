import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseJson } from "./json-text.ts";
import { StrictProblems } from "./strict.ts";

const refusals: readonly (readonly [text: string, message: string])[] = [
  ["", "unexpected end of JSON input"],
  ["{", "unexpected end of JSON input"],
  ['{"a"', "unexpected end of JSON input"],
  ["[1,]", "invalid character ']' looking for beginning of value"],
  ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
  ["{a:1}", "invalid character 'a' looking for beginning of object key string"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1 "b":2}', "invalid character '\"' after object key:value pair"],
  ["[1 2]", "invalid character '2' after array element"],
  ["tru", "invalid character ' ' in literal true (expecting 'e')"],
  ["trux", "invalid character 'x' in literal true (expecting 'e')"],
  ["-", "invalid character ' ' in numeric literal"],
  ["nul", "invalid character ' ' in literal null (expecting 'l')"],
  ["-x", "invalid character 'x' in numeric literal"],
  ["1.x", "invalid character 'x' after decimal point in numeric literal"],
  ["1ex", "invalid character 'x' in exponent of numeric literal"],
  ["01", "invalid character '1' after top-level value"],
  ['"a\nb"', "invalid character '\\n' in string literal"],
  ['"\\x"', "invalid character 'x' in string escape code"],
  ['"\\', "invalid character ' ' in string escape code"],
  ['"\\u12', "invalid character ' ' in \\u hexadecimal character escape"],
  ['"\\u00g0"', "invalid character 'g' in \\u hexadecimal character escape"],
  ["{} x", "invalid character 'x' after top-level value"],
];

for (const [text, message] of refusals) {
  test(`rejects ${JSON.stringify(text)} with Go's message`, () => {
    assert.throws(() => parseJson(text), { name: "JsonSyntaxError", message });
  });
}

test("reads what JSON.parse reads, and large integers exactly", () => {
  const rounded = (_key: string, value: unknown): unknown => (typeof value === "bigint" ? Number(value) : value);
  fc.assert(
    fc.property(fc.json(), (text) => {
      const read = JSON.stringify(parseJson(text, new StrictProblems()), rounded);
      assert.equal(read, JSON.stringify(JSON.parse(text)));
    }),
  );
  assert.deepEqual(parseJson("[9007199254740993,-9223372036854775808,9223372036854775808]"), [
    9_007_199_254_740_993n,
    -(2n ** 63n),
    2 ** 63,
  ]);
});

test("finds fields that occur twice, at any depth", () => {
  const problems = new StrictProblems();
  parseJson('{"a":{"b":1,"b":2},"c":[{"d":1},{"d":1,"d":"\\""}],"a":1}', problems);
  assert.deepEqual(problems.messages, ['duplicate field "a.b"', 'duplicate field "c[1].d"', 'duplicate field "a"']);
});

test("rejects text that nests deeper than Go allows", () => {
  assert.throws(() => parseJson("[".repeat(10_001) + "]".repeat(10_001)), {
    message: "invalid character '[' exceeded max depth",
  });
});
