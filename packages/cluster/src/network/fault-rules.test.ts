import assert from "node:assert/strict";
import { test } from "node:test";
import { faultRules, type Cut } from "./fault-rules.ts";

const node = { addresses: ["10.1.0.1", "10.2.0.0/24"] };
const pod = { addresses: ["10.2.1.7"] };

/** The rules of a chain, sorted. */
function rulesOf(cut: Cut, chain: "leave" | "arrive"): readonly string[] {
  const [, rules = ""] = faultRules([cut], ["10.1.0.1"]).split(`chain ${chain} {`);
  const [, ...lines] = (rules.split("}\n  chain")[0] ?? "").split("\n").map((line) => line.trim());
  return lines.filter((line) => line.endsWith("drop")).toSorted();
}

test("a cut between a pod and a node is symmetric", () => {
  for (const chain of ["leave", "arrive"] as const) {
    const rules = rulesOf({ side: node, from: pod }, chain);
    assert.equal(rules.length, 2);
    assert.deepEqual(rulesOf({ side: pod, from: node }, chain), rules);
  }
});
