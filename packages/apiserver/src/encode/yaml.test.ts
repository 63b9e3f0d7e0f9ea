import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parse } from "yaml";
import type { JsonValue } from "../builtin/draft.ts";
import { toYaml } from "./yaml.ts";

test("quotes strings that would be read as another type", () => {
  const value = {
    a: "true",
    b: "1",
    c: "2020-01-01T00:00:00Z",
    d: "x: y",
    e: "",
    f: "plain",
    g: "- x",
    h: null,
    i: [],
    j: {},
  };
  assert.equal(
    toYaml(value),
    `a: "true"\nb: "1"\nc: "2020-01-01T00:00:00Z"\nd: 'x: y'\ne: ""\nf: plain\ng: '- x'\nh: null\ni: []\nj: {}\n`,
  );
});

test("lists are not indented below their field", () => {
  assert.equal(toYaml({ a: [{ b: 1, c: [2] }, "x"] }), "a:\n- b: 1\n  c:\n  - 2\n- x\n");
});

test("a string of several lines is a block", () => {
  assert.equal(toYaml({ a: "x\ny\n", b: "x\ny" }), "a: |\n  x\n  y\nb: |-\n  x\n  y\n");
});

test("is read back as the same value", () => {
  const printable = fc.string({ unit: "grapheme-ascii" });
  const json = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      printable,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(printable, tie("value"), { maxKeys: 3, noNullPrototype: true }),
    ),
  })).value;
  fc.assert(fc.property(json, (value) => assert.deepEqual(parse(toYaml(value)), value)));
});

test("keys have the order of Go's library: numbers by value, letters last", () => {
  const keys = ["a10", "a9", "aB", "a_b", "10", "9", "-", "a", "ab", "Z", "x0", "x00", "x1", "x01"];
  const text = toYaml(Object.fromEntries(keys.map((key) => [key, 1])));
  const shown = text.split("\n").map((line) => line.replace(/: 1$/, "").replaceAll(/["']/g, ""));
  assert.deepEqual(shown.slice(0, -1), "- 9 10 Z a a_b a9 a10 aB ab x0 x00 x1 x01".split(" "));
});
