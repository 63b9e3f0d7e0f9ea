import assert from "node:assert/strict";
import { test } from "node:test";
import { formatFinding } from "./findings.ts";
import { checkComments, checkNames } from "./manners.ts";

const sentences = (text: string): string[] => checkComments([{ path: "a.ts", text }]).map(formatFinding);
const note = ["TO", "DO"].join("");

test("a note to self needs an issue number", () => {
  assert.deepEqual(sentences(`const a = 1; // ${note} later`), [
    "a.ts:1: a note to self without an issue; do it now, or name the issue as in (#12)",
  ]);
  assert.deepEqual(sentences(`const a = 1; // ${note} (#12) later`), []);
  assert.deepEqual(sentences(`const a = "// ${note} in a string";`), []);
});

test("a disabled check needs its reason", () => {
  const silenced = ["oxlint", "disable-next-line"].join("-");
  assert.equal(sentences(`// ${silenced} no-console`).length, 1);
  assert.deepEqual(sentences(`// ${silenced} no-console -- prints the answer`), []);
});

test("folders without a meaningful name are rejected", () => {
  assert.deepEqual(checkNames(["packages/a/src/utils.ts", "packages/a/src/helpers/x.ts"]).length, 2);
  assert.deepEqual(checkNames(["packages/a/src/queue.ts", "docs/utils.md"]), []);
});
