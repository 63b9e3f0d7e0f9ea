/** Patterns match as RE2 does and never take long. */
import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";
import { RE2JS } from "re2js";

import { matchesPattern, patternProblem } from "./pattern.ts";

const part = fc.constantFrom("a", "B", "[a-z]", "[A-Z_]", "[0-9.-]", "-", "_");
const repetition = fc.constantFrom("", "+", "*", "?", "{2}", "{0,3}");
const text = fc.string({ unit: fc.constantFrom("a", "b", "B", "_", "-", "0", ".", "\n", "é"), maxLength: 6 });

const parts = fc.array(part, { maxLength: 3 }).map((found) => found.join(""));
const patterns = fc.tuple(parts, part, repetition, parts).map((pieces) => `^${pieces.join("")}$`);

test("simple patterns match as RE2 matches them", () => {
  fc.assert(
    fc.property(patterns, text, (pattern, sample) => {
      assert.equal(matchesPattern(pattern, sample), RE2JS.compile(pattern).test(sample), pattern);
    }),
    { numRuns: 2000 },
  );
});

test("a pattern that makes backtracking engines hang is answered", () => {
  assert.equal(matchesPattern("^(a+)+$", `${"a".repeat(5000)}!`), false);
  assert.equal(matchesPattern("^(a|a?)+$", `${"a".repeat(2000)}!`), false);
});

test("look-around is refused in Go's words", () => {
  assert.equal(patternProblem("a(?=b)"), "error parsing regexp: invalid or unsupported Perl syntax: `(?=`");
});

test("a pattern is found anywhere unless it is anchored", () => {
  assert.equal(matchesPattern("b", "abc"), true);
  assert.equal(matchesPattern("^b", "abc"), false);
});
