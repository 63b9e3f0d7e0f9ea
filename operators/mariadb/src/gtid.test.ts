import assert from "node:assert/strict";
import { test } from "node:test";
import { comparePositions, formatPosition, latest, parsePosition } from "./gtid.ts";

test("a position is read and written in the order of domains", () => {
  assert.equal(formatPosition(parsePosition("1-11-3, 0-10-6")), "0-10-6,1-11-3");
  assert.equal(formatPosition(parsePosition("")), "");
  assert.equal(formatPosition(parsePosition("nonsense")), "");
});

test("positions are compared domain by domain", () => {
  const compare = (one: string, other: string) => comparePositions(parsePosition(one), parsePosition(other));
  assert.equal(compare("0-10-6", "0-10-6"), "same");
  assert.equal(compare("0-10-5", "0-11-6"), "behind");
  assert.equal(compare("0-11-7", "0-10-6"), "ahead");
  assert.equal(compare("", "0-10-1"), "behind");
  assert.equal(compare("0-10-1", ""), "ahead");
  assert.equal(compare("0-10-6", "0-11-6"), "diverged", "two servers wrote another sixth transaction");
  assert.equal(compare("0-10-6,1-10-1", "0-10-7"), "diverged");
  assert.equal(compare("0-10-18446744073709551615", "0-10-18446744073709551614"), "ahead");
});

test("of two positions of one member the newer counts", () => {
  assert.equal(formatPosition(latest(parsePosition("0-10-5"), parsePosition("0-10-6"))), "0-10-6");
  assert.equal(formatPosition(latest(parsePosition("0-10-6"), parsePosition(""))), "0-10-6");
});
