import assert from "node:assert/strict";
import { test } from "node:test";
import { readSpecs } from "./specs.ts";

test("passed and failed specs are parsed from the summary lines", () => {
  const text = `
Summarizing 2 Failures:
  [FAIL] Client Create with structured objects [It] should create a new object
  [PANICKED!] Client Watch [It] should watch
  [FAIL] Client Create with structured objects [It] should create a new object

Ran 12 of 14 Specs in 3.214 seconds
FAIL! -- 10 Passed | 2 Failed | 0 Pending | 2 Skipped
`;
  assert.deepEqual(readSpecs(text), {
    passed: 10,
    skipped: 2,
    specs: 14,
    failed: ["Client Create with structured objects [It] should create a new object", "Client Watch [It] should watch"],
  });
});

test("a program without output ran no specs", () => {
  assert.deepEqual(readSpecs("panic"), { passed: 0, skipped: 0, specs: 0, failed: [] });
});
