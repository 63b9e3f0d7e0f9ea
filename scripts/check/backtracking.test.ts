import assert from "node:assert/strict";
import { test } from "node:test";
import { checkBacktracking, expressionsOf } from "./backtracking.ts";

const check = (text: string, known: Parameters<typeof checkBacktracking>[1] = []): string[] =>
  checkBacktracking([{ path: "a.ts", text }], known).map(({ line, problem }) => `${line ?? ""} ${problem}`);

test("expressions that backtrack are found, in literals and in strings", () => {
  assert.deepEqual(check('const a = 1;\nconst b = text.replace(/0+$/, "");'), ["2 /0+$/ takes quadratic time"]);
  assert.deepEqual(check("const a = /^(?:a+)+$/;"), ["1 /^(?:a+)+$/ takes exponential time"]);
  assert.deepEqual(check("const a = /^([0-9]*)(?:\\.[0-9]*)?([a-z]*[0-9]*)$/;").length, 1);
  assert.deepEqual(check('const a = new RegExp("\\\\s+$");'), ["1 /\\s+$/ takes quadratic time"]);
});

test("expressions inside of templates are found", () => {
  assert.deepEqual(check('const a = `${b.replace(/0+$/, "")}`;'), ["1 /0+$/ takes quadratic time"]);
});

test("linear expressions are accepted", () => {
  assert.deepEqual(check("const a = /^[a-z0-9]+$/; const b = /^(?:a|b)*$/;"), []);
});

test("comments, strings, templates and divisions contain no expressions", () => {
  const text = '// /0+$/\n/* /0+$/ */ const a = "= /0+$/"; const b = `= /0+$/`; const c = d / 0 + e / 2;';
  assert.deepEqual(expressionsOf(text), []);
});

test("an expression needs a reason or a list entry, and unused entries are findings", () => {
  assert.deepEqual(check("const a = /0+$/; // linear: at most nine digits"), []);
  assert.deepEqual(check("// linear: at most nine digits\nconst a = /0+$/;"), []);
  const known = [{ file: "a.ts", expression: "/0+$/", reason: "short" }];
  assert.deepEqual(check("const a = /0+$/;", known), []);
  assert.deepEqual(check("const a = 1;", known), [" /0+$/ is listed as known and is not found"]);
});
