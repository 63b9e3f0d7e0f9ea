import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReconcileRecord } from "@capstan/runtime";
import { CliError } from "../errors.ts";
import { type AskReconciles, Failing } from "./failing.ts";

const line = { level: "error", controller: "lamp", object: "default/a", message: "no power" };

function ended(outcome: string): AskReconciles {
  return async () => [{ outcome } as ReconcileRecord];
}

test("an object fails from the first error until a reconcile that does not", async () => {
  let outcome = "failed";
  const failing = new Failing((controller, key) => ended(outcome)(controller, key));
  failing.hear(line);
  await failing.recheck();
  assert.equal(failing.messageOf(["other", "lamp"], "default/a"), "no power");
  assert.equal(failing.messageOf(["lamp"], "default/b"), undefined);
  assert.equal(failing.messageOf(["other"], "default/a"), undefined);
  outcome = "done";
  await failing.recheck();
  assert.equal(failing.messageOf(["lamp"], "default/a"), undefined);
});

test("an intended wait is not a failure", () => {
  const failing = new Failing(ended("failed"));
  failing.hear({ ...line, level: "warn" });
  assert.equal(failing.messageOf(["lamp"], "default/a"), undefined);
});

test("a deleted object no longer fails; an unreachable operator changes nothing", async () => {
  for (const [code, left] of [
    ["Cluster", "no power"],
    ["Failed", undefined],
  ] as const) {
    const failing = new Failing(() => Promise.reject(new CliError(code, "no reconciles")));
    failing.hear(line);
    await failing.recheck();
    assert.equal(failing.messageOf(["lamp"], "default/a"), left);
  }
});
