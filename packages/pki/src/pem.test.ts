import assert from "node:assert/strict";
import { test } from "node:test";
import { findPemBlocks } from "./pem.ts";

const labels = (text: string): string[] => findPemBlocks(text).map(({ label }) => label);

test("a block extends from its beginning to the next end with its label", () => {
  const block = "-----BEGIN A-----\nAAAA\n-----END A-----";
  assert.deepEqual(findPemBlocks(`x ${block} y`), [{ label: "A", body: "\nAAAA\n", text: block }]);
});

test("beginnings without an end are not blocks, nor is the content of a block", () => {
  assert.deepEqual(labels("-----BEGIN A-----\n-----BEGIN B-----\n-----END B-----"), ["B"]);
  assert.deepEqual(labels("-----BEGIN A-----\n-----BEGIN B-----\n-----END B-----\n-----END A-----"), ["A"]);
  assert.deepEqual(labels("-----END A-----\n-----BEGIN A-----\n"), []);
  assert.deepEqual(labels("-----BEGIN A----------END A-----BEGIN B-----\n-----END B-----"), ["A"]);
});
