import assert from "node:assert/strict";
import { test } from "node:test";
import { seenProcesses } from "./seen-processes.ts";

test("a pod never sees the processes of its node, even with hostPID", () => {
  const containers = [{ name: "main" }];
  assert.equal(seenProcesses({ spec: { containers } }), "own");
  assert.equal(seenProcesses({ spec: { containers, shareProcessNamespace: true } }), "of the pod");
  assert.equal(seenProcesses({ spec: { containers, hostPID: true } }), "of the pod");
});
