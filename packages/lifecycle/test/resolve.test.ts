/** Compares resolutions of small random catalogs with those of an independent solver. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { randomInput } from "./random-catalogs.ts";
import { checkAgainstOracle } from "./resolve-oracle.ts";

test("small random catalogs get the verdict of MiniSat, minimal and deterministic", () => {
  const counts = { solved: 0, unsatisfiable: 0 };
  const size = { catalogs: 2, packages: 6, versions: 4, subscriptions: 2, requirements: 5 };
  const property = fc.property(fc.integer(), (seed) => void counts[checkAgainstOracle(randomInput(seed, size))]++);
  fc.assert(property, { numRuns: 20 });
  assert.ok(counts.solved > 1 && counts.unsatisfiable > 1, JSON.stringify(counts));
});
