/** Patterns of schemas match like RE2, with Go's messages, and a value that is too expensive to match is invalid. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { formatFieldError } from "./field-error.ts";
import { matchesPattern, patternProblem } from "./pattern.ts";
import { compileValidator } from "./validator.ts";

test("a pattern that makes backtracking engines hang returns", () => {
  assert.equal(matchesPattern("^(a+)+$", `${"a".repeat(5000)}!`), false);
  assert.equal(matchesPattern("^(a|a?)+$", `${"a".repeat(2000)}!`), false);
});

test("look-around is rejected with Go's message", () => {
  assert.equal(patternProblem("a(?=b)"), "error parsing regexp: invalid or unsupported Perl syntax: `(?=`");
});

test("a pattern matches anywhere unless it is anchored", () => {
  assert.equal(matchesPattern("b", "abc"), true);
  assert.equal(matchesPattern("^b", "abc"), false);
});

const costly = "(a|b)*a(a|b){900}c";
const text = Array.from({ length: 20_000 }, (_, i) => ((i * i * i + (i >> 3)) % 11 < 5 ? "a" : "b")).join("");

test("a value that takes too much work to match is invalid, anywhere in a pattern", () => {
  const schemas = [{ pattern: costly }, { not: { pattern: costly } }, { anyOf: [{ pattern: costly }, {}] }];
  for (const inner of schemas) {
    const validate = compileValidator({ type: "object", properties: new Map([["a", { type: "string", ...inner }]]) });
    const [error, ...more] = validate({ a: text });
    assert.equal(more.length, 0);
    assert.match(
      error === undefined ? "" : formatFieldError(error),
      /a in body is too expensive to validate: its schema takes more work/,
    );
  }
});

test("the work of many values is added up", () => {
  const validate = compileValidator({ type: "array", items: { type: "string", pattern: "^(ab|ba|abb)*$" } });
  assert.deepEqual(validate(["abba", "abab"]), []);
  const errors = validate(Array.from({ length: 400 }, () => "ab".repeat(10_000)));
  assert.equal(errors.length, 1);
  assert.match(errors.map(formatFieldError).join(), /too expensive to validate/);
});
