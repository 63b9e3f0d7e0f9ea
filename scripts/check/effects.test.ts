import assert from "node:assert/strict";
import { test } from "node:test";
import { checkEffects } from "./effects.ts";
import { formatFinding } from "./findings.ts";
import type { Layers } from "./layers.ts";

const layers: Layers = {
  rules: [],
  testsMay: [],
  pure: { sentence: "", rooms: [] },
  effects: { sentence: "", allowed: ["**/main.ts", "apps/*/src/**"] },
};

const sentences = (path: string, text: string): string[] => checkEffects([{ path, text }], layers).map(formatFinding);

test("a stray console call is found, and the message names the fix", () => {
  assert.deepEqual(sentences("packages/a/src/b.ts", `\nconsole.log("x");`), [
    "packages/a/src/b.ts:2: reaches for the console (console.); take a logger as a parameter, or return the text",
  ]);
});

test("clock, timers, randomness and environment are found", () => {
  const text = "Date.now(); new Date(); setTimeout(f, 1); Math.random(); process.env.HOME;";
  assert.equal(sentences("packages/a/src/b.ts", text).length, 5);
});

test("comments, strings, dates with arguments and methods of other objects are fine", () => {
  const text = '// console.log\nconst s = "Date.now()"; new Date(text); clock.setTimeout(f, 1);';
  assert.deepEqual(sentences("packages/a/src/b.ts", text), []);
});

test("the few exempt files are left alone", () => {
  assert.deepEqual(sentences("packages/a/src/main.ts", "console.log(1)"), []);
  assert.deepEqual(sentences("apps/cli/src/deep/er.ts", "console.log(1)"), []);
});
