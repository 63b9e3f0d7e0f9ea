/** Compares resolutions of random catalogs with those of an independent solver. */
import assert from "node:assert/strict";
import { resolve, type ResolutionInput } from "../src/index.ts";
import { oracleOf } from "./sat-oracle.ts";

/** Checks one input: same verdict, a real solution, nothing superfluous, and the same result for another order. */
export function checkAgainstOracle(input: ResolutionInput): "solved" | "unsatisfiable" {
  const [result, oracle] = [resolve(input), oracleOf(input)];
  assert.notEqual(result.type, "failed", result.type === "failed" ? result.message : "");
  assert.equal(result.type === "solved", oracle.isSolvable(), "another verdict than the oracle");
  const { catalogs, subscriptions, installed } = input;
  const reversed = {
    catalogs: catalogs.toReversed(),
    subscriptions: subscriptions.toReversed(),
    installed: installed.toReversed(),
  };
  assert.deepEqual(resolve({ ...input, ...reversed }), result, "the order of the input counts");
  if (result.type !== "solved") return "unsatisfiable";
  assert.ok(oracle.isSolution(result.selections), "the selections break a rule");
  for (const one of result.selections.filter(({ subscriptions: asking }) => asking.length === 0))
    assert.ok(
      !oracle.isSolution(result.selections.filter((other) => other !== one)),
      `${one.bundle.name} is superfluous`,
    );
  return "solved";
}
