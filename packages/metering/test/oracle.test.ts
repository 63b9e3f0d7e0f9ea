/** Property test: random books and records against an oracle of exact fractions that shares no code with the engine. */
import test from "node:test";
import { randomInt } from "node:crypto";
import { compareWorld } from "./oracle/compare.ts";

const seeded = Number(process.env["CAPSTAN_SEED"] ?? "0");
const first = seeded === 0 ? randomInt(1, 1_000_000_000) : Math.abs(seeded);

test("reports and invoices of random books equal the oracle to the last digit", async () => {
  for (let seed = first; seed < first + 8; seed++) await compareWorld(seed);
});
