import assert from "node:assert/strict";
import { test } from "node:test";
import { Pod } from "capstan/kinds/v1";
import { EtcdBackup, EtcdCluster, EtcdRestore } from "../../src/kinds/index.ts";
import { isSettled, startWorld } from "./world.ts";
import type { EtcdWorld } from "./world.ts";

const store = { volume: { claim: "b" } } as const;
const podTemplate = { spec: { nodeName: "n1" } } as const;
const spec = { size: 3, version: "3.6.16", tls: { mode: "Off" }, podTemplate } as const;

/** Replaces the operator with a new process, which knows only what is stored. */
async function reborn({ world }: EtcdWorld): Promise<void> {
  await world.crash();
  world.restart();
}

test("a restarted operator knows that a pod does not end, and its restore waits", async () => {
  await using bed = await startWorld();
  await bed.world.apply(EtcdCluster, "e", { spec });
  await bed.until(isSettled, "three members");
  await bed.world.apply(EtcdBackup, "first", { spec: { cluster: "e", store } });
  for (let second = 0; second < 300; second++) {
    if ((await bed.world.get(EtcdBackup, "first"))?.status?.last !== undefined) break;
    await bed.pass(1);
  }
  await bed.world.apply(Pod, "e-2", { metadata: { finalizers: ["x.example.com/hold"] } });
  await bed.world.delete(Pod, "e-2");
  bed.etcd.stop("e-2");
  await bed.pass(200);
  await bed.world.apply(EtcdRestore, "r", { spec: { cluster: "e", overwrite: "e", store } });
  await bed.pass(60);
  await reborn(bed);
  await bed.pass(120);
  assert.equal((await bed.world.get(EtcdRestore, "r"))?.status?.phase, "Running");
  assert.ok(bed.etcd.processes.has("e-0") && bed.etcd.processes.has("e-1"), "they serve all the time");
  assert.equal((await bed.cluster()).status?.recovery, undefined);
});

test("operators that never run for a minute still replace a missing member", async () => {
  await using bed = await startWorld();
  await bed.world.apply(EtcdCluster, "e", { spec });
  await bed.until(isSettled, "three members");
  bed.kubelet.disks.forEach((disk) => {
    if (disk.memberId === bed.etcd.processes.get("e-2")?.disk.memberId) disk.isBroken = true;
  });
  bed.etcd.stop("e-2");
  const isReplaced = (): boolean => bed.etcd.processes.has("e-3");
  for (let life = 0; life < 30 && !isReplaced(); life++) {
    await bed.pass(50);
    await reborn(bed);
  }
  assert.ok(isReplaced(), JSON.stringify((await bed.cluster()).status?.watched));
});
