import assert from "node:assert/strict";
import { test } from "node:test";
import { isWithin } from "./ranges.ts";

test("an address matches only ranges of its family", () => {
  assert.ok(isWithin("10.0.0.7", ["10.0.0.0/24"]));
  assert.ok(!isWithin("10.0.1.7", ["10.0.0.0/24"]));
  assert.ok(isWithin("fd00::7", ["10.0.0.0/24", "fd00::/112"]));
  assert.ok(!isWithin("fd00::7", ["10.0.0.0/24"]));
});
