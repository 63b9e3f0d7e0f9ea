import assert from "node:assert/strict";
import { test } from "node:test";
import { FairTree, type Step } from "./fair-tree.ts";

const path = (name: string): readonly Step[] => [{ name, weight: 1 }];

/** Serves one request of a group, and notes what it cost. */
function serve(tree: FairTree<string>, name: string, cost: number): void {
  tree.push(path(name), name);
  assert.equal(tree.shift(), name);
  tree.charge(path(name), cost);
}

/** Which of a group that has used much and a new one goes first, after so many others have asked once. */
function firstAfter(others: number): string | undefined {
  const tree = new FairTree<string>();
  serve(tree, "busy", 1_000);
  for (let count = 0; count < others; count++) serve(tree, `other ${count}`, 1);
  tree.push(path("busy"), "busy");
  tree.push(path("new"), "new");
  return tree.shift();
}

test("a group that has used much goes after a new one", () => {
  assert.equal(firstAfter(0), "new");
  assert.equal(firstAfter(500), "new");
});

test("groups that have asked once are forgotten when there are very many", () => {
  assert.equal(firstAfter(5_000), "busy");
});
