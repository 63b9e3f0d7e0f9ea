import assert from "node:assert/strict";
import { test } from "node:test";
import { formatFinding } from "./findings.ts";
import { checkProse } from "./prose.ts";

const sentences = (text: string, path = "packages/a/src/a.ts"): string[] =>
  checkProse([{ path, text }]).map(formatFinding);

test("two pronouns in a few words exceed the budget", () => {
  const [sentence = ""] = sentences("// Whoever asks is told.\nconst a = 1; // nobody knows");
  assert.match(sentence, /^packages\/a: 2 pronouns for people in 6 words of comments \(333\.3 per 1,000, at most 2\)/);
  assert.match(sentence, /packages\/a\/src\/a\.ts:1, packages\/a\/src\/a\.ts:2$/);
});

test("strings and identifiers do not count as comments", () => {
  assert.deepEqual(sentences(`const nobody = "whoever"; const who = 1;`), []);
});

test("a title over 80 characters is a finding", () => {
  const named = ["te", "st"].join("");
  const long = `${named}("${"a".repeat(81)}", () => {});`;
  assert.deepEqual(sentences(long, "packages/a/src/a.test.ts"), [
    "packages/a/src/a.test.ts:1: a test title of 81 characters; name subject and behaviour in at most 80",
  ]);
});
