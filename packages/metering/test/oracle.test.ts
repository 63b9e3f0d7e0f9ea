/** Property test: random books and records against an oracle of exact fractions that shares no code with the engine. */
import assert from "node:assert/strict";
import test from "node:test";
import { randomInt } from "node:crypto";
import { compareNodes } from "./oracle/compare-nodes.ts";
import { compareWorld } from "./oracle/compare.ts";

const seeded = Number(process.env["CAPSTAN_SEED"] ?? "0");
const first = seeded === 0 ? randomInt(1, 1_000_000_000) : Math.abs(seeded);

test("reports and invoices of random books equal the oracle to the last digit", async () => {
  for (let seed = first; seed < first + 8; seed++) await compareWorld(seed);
});

test("the cost of random nodes is allocated as by the oracle, and none is lost", async () => {
  let rows = 0;
  for (let seed = first; seed < first + 8; seed++) rows += await compareNodes(seed);
  assert.ok(rows > 8, `${rows} rows`);
});
