import assert from "node:assert/strict";
import { test } from "node:test";
import { type LongResult, planLines, planLong } from "./long.ts";

const passed = (inputs: string, more: Partial<LongResult> = {}): LongResult => ({
  inputs,
  date: "2026-01-01",
  result: "passed",
  seconds: 60,
  ...more,
});

test("a file that passed with the same inputs does not run again", () => {
  const plan = planLong([{ file: "a", inputs: "1", builds: 0 }], { a: passed("1") }, 1000);
  assert.deepEqual(plan, { run: [], fresh: ["a"], leftOut: [] });
});

test("a file with changed inputs, with a failure or without a result runs", () => {
  const files = [
    { file: "a", inputs: "2", builds: 0 },
    { file: "b", inputs: "1", builds: 0 },
    { file: "c", inputs: "1", builds: 0 },
  ];
  const results = { a: passed("1"), b: passed("1", { result: "failed" }) };
  assert.deepEqual(planLong(files, results, 10_000).run.toSorted(), ["a", "b", "c"]);
});

test("the oldest result comes first, and files that do not fit are listed", () => {
  const files = [
    { file: "new", inputs: "2", builds: 0 },
    { file: "old", inputs: "2", builds: 0 },
  ];
  const results = { new: passed("1", { date: "2026-03-01" }), old: passed("1", { date: "2026-02-01" }) };
  const plan = planLong(files, results, 200);
  assert.deepEqual(plan, { run: ["old"], fresh: [], leftOut: ["new"] });
  assert.ok(planLines(plan, results, 200).includes("  not run for want of time: npm run test:long -- new"));
});

test("a file without a measurement is left out if less than an hour is left", () => {
  assert.deepEqual(planLong([{ file: "a", inputs: "1", builds: 0 }], {}, 3000), { run: [], fresh: [], leftOut: ["a"] });
});

test("a build that is still to do counts, and so does a slower machine", () => {
  const planned = (builds: number, budget: number) =>
    planLong([{ file: "a", inputs: "2", builds }], { a: passed("1") }, budget).run;
  assert.deepEqual([planned(0, 119), planned(0, 120)], [[], ["a"]]);
  assert.deepEqual([planned(1, 1019), planned(1, 1020)], [[], ["a"]]);
});
