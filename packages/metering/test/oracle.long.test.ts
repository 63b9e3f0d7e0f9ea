/** Property test at length: 2,000 random books and records against the oracle. */
import assert from "node:assert/strict";
import test from "node:test";
import { compareNodes } from "./oracle/compare-nodes.ts";
import { compareWorld } from "./oracle/compare.ts";

test("2,000 random books and their records equal the oracle to the last digit", async () => {
  for (let seed = 1; seed <= 2000; seed++) await compareWorld(seed);
});

test("the cost of 1,000 random nodes and bills is allocated as the oracle does", async () => {
  let rows = 0;
  for (let seed = 1; seed <= 1000; seed++) rows += await compareNodes(seed);
  assert.ok(rows > 8, `${rows} rows`);
});
