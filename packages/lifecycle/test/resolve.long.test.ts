/** Compares resolutions of 500 random catalogs of up to 2,000 bundles with those of an independent solver. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { randomInput, randomOf } from "./random-catalogs.ts";
import { checkAgainstOracle } from "./resolve-oracle.ts";

test("500 random catalogs get the verdict of MiniSat, minimal and deterministic", () => {
  const counts = { solved: 0, unsatisfiable: 0 };
  const property = fc.property(fc.integer(), (seed) => {
    const random = randomOf(seed);
    const packages = 5 + random(60);
    const size = {
      catalogs: 1 + random(3),
      packages,
      versions: 2 + random(14),
      subscriptions: 1 + random(Math.ceil(packages / 6)),
      requirements: random(5),
    };
    counts[checkAgainstOracle(randomInput(seed, size))]++;
  });
  fc.assert(property, { numRuns: 500 });
  assert.ok(counts.solved > 20 && counts.unsatisfiable > 20, JSON.stringify(counts));
});
