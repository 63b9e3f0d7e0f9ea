import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "@capstan/model";
import { compileColumns } from "./columns.ts";

/** The cells of a value in columns of both number types. */
function numbersOf(x: unknown): Json[] {
  const column = (type: string) => ({ name: type, type, jsonPath: ".x" });
  const printer = compileColumns([column("integer"), column("number")]);
  return printer.cells({ metadata: { name: "a" }, x } as unknown as Json, 0).slice(1);
}

test("numbers are truncated to int64, and too large ones become the minimum", () => {
  assert.deepEqual(numbersOf(1.5), [1, 1.5]);
  assert.deepEqual(numbersOf(-1.5), [-1, -1.5]);
  assert.deepEqual(numbersOf(9_007_199_254_740_993n), [9_007_199_254_740_993n, 9_007_199_254_740_992]);
  assert.deepEqual(numbersOf(2 ** 60), [2n ** 60n, 2 ** 60]);
  assert.deepEqual(numbersOf(1e21), [-(2n ** 63n), 1e21]);
  assert.deepEqual(numbersOf("1"), [null, null]);
});
