/** Patterns match as RE2 does, take work that can be counted, and end when it is too much. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { RE2JS } from "re2js";
import { withinWork, WORK_LIMIT, WorkExceededError } from "../work.ts";
import { compilePattern, PatternError } from "./pattern.ts";
import { expandedSize } from "./size.ts";

const atom = fc.constantFrom("a", "b", ".", "[ab]", "[^a]", "\\w", "\\W", "\\pL", "(?i:K)", "\\n", "😀", "");
const edge = fc.constantFrom("^", "$", "\\b", "\\B", "\\A", "\\z", "(?m:^)", "(?m:$)");
const repetition = fc.constantFrom("*", "+", "?", "*?", "+?", "??", "{2}", "{0,2}", "{1,}", "{1,2}?");
const { pattern: patterns } = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { depthSize: "small" },
    atom,
    edge,
    fc.tuple(tie("pattern"), tie("pattern")).map(([a, b]) => a + b),
    fc.tuple(tie("pattern"), tie("pattern")).map(([a, b]) => `(${a}|${b})`),
    fc.tuple(tie("pattern"), repetition).map(([a, times]) => `(?:${a})${times}`),
  ),
}));
const texts = fc.string({ unit: fc.constantFrom("a", "b", "k", "\u212a", "_", " ", "\n", "é", "😀"), maxLength: 8 });

/** The results of Go's FindAllString. */
function findAllOf(source: string, text: string): string[] {
  return (RE2JS.compile(source).re2().findAll(text, -1) as string[] | null) ?? [];
}

function workOf(source: string, text: string): number {
  let work = 0;
  const pattern = compilePattern(source);
  withinWork(
    Number.POSITIVE_INFINITY,
    () => pattern.matches(text),
    (units) => (work = units),
  );
  return work;
}

describe("patterns", () => {
  it("match as RE2 matches", () => {
    fc.assert(
      fc.property(patterns, texts, (source, text) => {
        assert.equal(compilePattern(source).matches(text), RE2JS.compile(source).test(text), source);
      }),
      { numRuns: 3000 },
    );
  });
  it("find what RE2 finds", () => {
    fc.assert(
      fc.property(patterns, texts, (source, text) => {
        const all = findAllOf(source, text);
        assert.deepEqual(compilePattern(source).findAll(text, -1), all, source);
        assert.equal(compilePattern(source).find(text), all[0], source);
      }),
      { numRuns: 3000 },
    );
  });
  it("match natively what is simple, with the same result", () => {
    const part = fc.constantFrom("a", "B", "[a-z]", "[A-Z_]", "[0-9.-]", "-", "_");
    const parts = fc.array(part, { maxLength: 3 }).map((found) => found.join(""));
    const times = fc.constantFrom("", "+", "*", "?", "{2}", "{0,3}");
    const simple = fc.tuple(parts, part, times, parts).map((pieces) => `^${pieces.join("")}$`);
    const samples = fc.string({ unit: fc.constantFrom("a", "b", "B", "_", "-", "0", ".", "\n", "é"), maxLength: 6 });
    fc.assert(
      fc.property(simple, samples, (source, text) => {
        assert.equal(compilePattern(source).matches(text), RE2JS.compile(source).test(text), source);
      }),
    );
  });
  it("never expand to more instructions than their bound", () => {
    fc.assert(
      fc.property(patterns, (source) => assert.ok(expandedSize(source) >= RE2JS.compile(source).programSize(), source)),
    );
    for (const source of [
      "(a{0,30}){0,30}",
      "((a{3}){4}|b?){5,}",
      "\\Qa+b\\E{4}",
      "[]a]{9}(?:x{2}){3}",
      "\\x{41}\\pL{7}",
    ]) {
      assert.ok(expandedSize(source) >= RE2JS.compile(source).programSize(), source);
    }
  });
  it("are rejected before they expand to too many instructions", () => {
    const large = [
      "a{1000}".repeat(20),
      "(?i)" + "[\\x{80}-\\x{10ffff}]".repeat(200),
      "\\pL".repeat(400),
      "a".repeat(20_000),
    ];
    for (const source of large) {
      assert.throws(() => compilePattern(source), new PatternError("error parsing regexp: expression too large"));
    }
    assert.doesNotThrow(() => compilePattern("^([a-z]{1,255}\\.){1,3}[\\p{L}]{500}$"));
  });
  it("take work that is linear in the text", () => {
    for (const source of ["(a+)+$", "(a|aa)*b", "(x+x+)+y", "^(a|b|ab)*c$", "\\b(?:a|b)+\\b!"]) {
      const works = [2000, 4000, 8000].map((length) => workOf(source, "ab".repeat(length)));
      const [small = 0, , large = 0] = works;
      assert.ok(large <= small * 4.1, `${source}: ${works.join(", ")}`);
    }
  });
  it("stop when a match takes too much work", () => {
    const hostile = compilePattern("(a|b)*a(a|b){900}c");
    const text = Array.from({ length: 20_000 }, (_, index) => ((index * index) % 7 < 3 ? "a" : "b")).join("");
    const noise = `${text}${"abbabaab".repeat(2000)}`;
    assert.throws(() => withinWork(WORK_LIMIT, () => hostile.matches(noise)), WorkExceededError);
    const quadratic = compilePattern("(?:.*b)|a");
    assert.throws(() => withinWork(WORK_LIMIT, () => quadratic.findAll("a".repeat(20_000), -1)), WorkExceededError);
  });
});
