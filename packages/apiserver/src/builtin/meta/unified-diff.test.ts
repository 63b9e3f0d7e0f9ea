import assert from "node:assert/strict";
import { test } from "node:test";
import { unifiedDiff } from "./unified-diff.ts";

const numbers = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => String(from + index));

test("equal texts have an empty diff", () => {
  assert.equal(unifiedDiff("a\nb", "a\nb"), "");
});

test("a hunk has three lines of context on each side", () => {
  const before = numbers(1, 9).join("\n");
  const after = before.replace("5", "five");
  assert.equal(unifiedDiff(before, after), "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
});

test("distant changes are in separate hunks", () => {
  const before = numbers(1, 30).join("\n");
  const after = ["zero", ...numbers(1, 29)].join("\n");
  assert.equal(
    unifiedDiff(before, after),
    "@@ -1,3 +1,4 @@\n+zero\n 1\n 2\n 3\n@@ -27,4 +28,3 @@\n 27\n 28\n 29\n-30\n",
  );
});

test("an empty text counts as one line", () => {
  assert.equal(unifiedDiff("", "a"), "@@ -1 +1 @@\n-\n+a\n");
});

test("popular lines of long texts match only next to other matches", () => {
  const filler = Array.from({ length: 200 }, () => "}");
  const before = ["first", ...filler, "last"].join("\n");
  const after = ["first", ...filler, "end"].join("\n");
  assert.equal(unifiedDiff(before, after), "@@ -199,4 +199,4 @@\n }\n }\n }\n-last\n+end\n");
  const moved = ["start", ...filler, "last"].join("\n");
  assert.equal(unifiedDiff(before, moved), "@@ -1,4 +1,4 @@\n-first\n+start\n }\n }\n }\n");
  const both = unifiedDiff(before, ["start", ...filler, "end"].join("\n"));
  assert.equal(both.split("\n").filter((line) => line === "-}").length, 200);
});
