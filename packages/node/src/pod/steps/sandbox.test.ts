import assert from "node:assert/strict";
import { test } from "node:test";
import { NodeError } from "../../errors.ts";
import { Bench, type WorkerTools } from "../bench.ts";
import type { BoundPod } from "../containers.ts";
import { firstSituation } from "../situation.ts";
import { removeSandbox } from "./sandbox.ts";

const pod: BoundPod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", uid: "u", resourceVersion: "1", creationTimestamp: "2030-01-01T00:00:00Z" },
  spec: { containers: [{ name: "main" }] },
};

test("a failed removal of a sandbox is reported and retried", async () => {
  const told: string[] = [];
  let tries = 0;
  const tools = {
    runtime: {
      removeSandbox: async () => {
        if (tries++ === 0) throw new NodeError("Internal", "the folder is not empty");
      },
    },
    clock: { later: (_delay: number, run: () => void) => (queueMicrotask(run), { cancel: () => undefined }) },
    record: (_pod: BoundPod, { reason, message }: { reason: string; message: string }) =>
      told.push(`${reason}: ${message}`),
  } as unknown as WorkerTools;
  const bench = new Bench(firstSituation(pod, { now: 0, wall: 0 }), tools, () => undefined);
  bench.set({ sandbox: { is: "ready", sandbox: { id: "s", ips: [] } } });
  await removeSandbox(bench);
  assert.equal(bench.situation.sandbox.is, "ready");
  assert.deepEqual(told, ["FailedKillPod: error killing pod: the folder is not empty"]);
  await removeSandbox(bench);
  assert.equal(bench.situation.sandbox.is, "removed");
});
