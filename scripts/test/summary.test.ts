import assert from "node:assert/strict";
import { test } from "node:test";
import { closingLines, mayBeSkipped, summarize } from "./summary.ts";

const result = { name: "works", file: "a.test.ts", passed: true, milliseconds: 5, skipped: false as string | boolean };

test("a run without any test is not a success", () => {
  assert.equal(summarize([], 1).ok, false);
});

test("the closing line counts, and skips are listed with their reason", () => {
  const outcome = summarize([result, { ...result, passed: false }, { ...result, skipped: "no root" }], 2);
  const lines = closingLines(outcome, { ci: false });
  assert.equal(lines.at(-1), "1 passed, 1 failed, 1 skipped");
  assert.ok(lines.includes("  a.test.ts: works (no root)"));
  assert.ok(closingLines(outcome, { ci: true }).includes("skipped, which CI does not allow"));
});

test("CI allows skips for data that is not ours to ship, and no others", () => {
  const catalog = { ...result, skipped: "the catalog, which is not ours to ship, is not beside this checkout" };
  const tool = { ...result, skipped: "install bubblewrap" };
  assert.deepEqual([catalog, tool, { ...result, skipped: true }].map(mayBeSkipped), [true, false, false]);
  const lines = closingLines(summarize([result, catalog, tool], 2), { ci: true });
  assert.deepEqual(lines.slice(lines.indexOf("skipped, and why"), -2), [
    "skipped, and why",
    "  a.test.ts: works (the catalog, which is not ours to ship, is not beside this checkout)",
    "",
    "skipped, which CI does not allow",
    "  a.test.ts: works (install bubblewrap)",
    "",
  ]);
});

test("a group that passed at the second attempt only is named", () => {
  const lines = closingLines(summarize([result], 2, ["packages/a"]), { ci: true });
  assert.ok(lines.includes("failed once and passed at the second attempt: a defect to find"));
  assert.ok(lines.includes("  packages/a"));
});
