import assert from "node:assert/strict";
import { test } from "node:test";
import { parseTestCommand } from "./command-line.ts";

test("arguments are parts of paths, or the base of a change", () => {
  assert.deepEqual(parseTestCommand(["cluster", "node"]).parts, ["cluster", "node"]);
  const { parts, changedSince } = parseTestCommand(["--changed", "main"]);
  assert.deepEqual({ parts, changedSince }, { parts: [], changedSince: "main" });
  assert.equal(parseTestCommand(["--changed"]).changedSince, "");
  assert.equal(parseTestCommand([]).changedSince, undefined);
});

test("an unknown option and a budget that is not a number are rejected", () => {
  assert.throws(() => parseTestCommand(["--chnaged"]));
  assert.throws(() => parseTestCommand(["--budget", "soon"]), /write a number of minutes/);
});
