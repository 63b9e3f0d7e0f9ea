import assert from "node:assert/strict";
import { test } from "node:test";
import { expand } from "./expand.ts";

const variables = new Map([
  ["A", "1"],
  ["EMPTY", ""],
  ["WITH_REFERENCE", "$(A)"],
]);

test("references are replaced once, $$ becomes $, and other text stays", () => {
  const cases: readonly (readonly [text: string, expanded: string])[] = [
    ["$(A)", "1"],
    ["x$(A)y$(A)", "x1y1"],
    ["$$(A)", "$(A)"],
    ["$$$(A)", "$1"],
    ["$$$$(A)", "$$(A)"],
    ["$(NONE)", "$(NONE)"],
    ["$(EMPTY)", ""],
    ["$A ${A} $", "$A ${A} $"],
    ["$(A", "$(A"],
    ["$(WITH_REFERENCE)", "$(A)"],
  ];
  for (const [text, expanded] of cases) assert.equal(expand(text, variables), expanded, text);
});
