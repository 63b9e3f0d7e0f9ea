/** Property test at length: 2,000 random books and records against the oracle. */
import test from "node:test";
import { compareWorld } from "./oracle/compare.ts";

test("2,000 random books and their records equal the oracle to the last digit", async () => {
  for (let seed = 1; seed <= 2000; seed++) await compareWorld(seed);
});
