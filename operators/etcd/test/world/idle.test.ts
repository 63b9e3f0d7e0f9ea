import assert from "node:assert/strict";
import { test } from "node:test";
import { EtcdCluster, EtcdOperation } from "../../src/kinds/index.ts";
import { condition, isSettled, startWorld } from "./world.ts";
import type { EtcdWorld } from "./world.ts";

/** A cluster of healthy members without writes, compacted at the newest revision. */
async function begin(bed: EtcdWorld, size: number): Promise<void> {
  await bed.world.apply(EtcdCluster, "e", { spec: { size, version: "3.6.16" } });
  await bed.until(isSettled, "members");
  bed.etcd.compact();
}

/** Restarts the process: the hashes of compactions are lost. */
function restart(bed: EtcdWorld, name: string): void {
  bed.etcd.processes.get(name)?.kept.splice(0);
}

/** The operator writes no keys of users. */
function nobodyWrote({ etcd }: EtcdWorld): void {
  assert.ok(!etcd.log.some((line) => line.startsWith("put ")), etcd.log.join("\n"));
}

for (const [size, what, spec] of [
  [1, "three", { size: 3, version: "3.6.16" }],
  [1, "one in another form", { size: 1, version: "3.6.16", options: { "snapshot-count": "5000" } }],
  [2, "two in another form", { size: 2, version: "3.6.16", options: { "snapshot-count": "5000" } }],
  [1, "one of the next version", { size: 1, version: "3.7.3" }],
  [2, "two of the next version", { size: 2, version: "3.7.3" }],
] as const)
  test(`${size} members without writes can become ${what}`, async () => {
    await using bed = await startWorld();
    await begin(bed, size);
    await bed.world.apply(EtcdCluster, "e", { spec });
    await bed.until(isSettled, what);
    nobodyWrote(bed);
  });

test("a member is replaced in an idle cluster after one restart since compaction", async () => {
  await using bed = await startWorld();
  await begin(bed, 3);
  restart(bed, "e-2");
  await bed.world.apply(EtcdOperation, "op", { spec: { cluster: "e", do: { replaceMember: { member: "e-1" } } } });
  await bed.until((now) => isSettled(now) && !bed.etcd.processes.has("e-1"), "another in its place");
  nobodyWrote(bed);
});

test("a lost member of three is replaced although another one was restarted", async () => {
  await using bed = await startWorld();
  await begin(bed, 3);
  restart(bed, "e-2");
  await bed.loseVolumes(["e-1"]);
  await bed.until((now) => isSettled(now) && !bed.etcd.processes.has("e-1"), "another in its place");
});

test("corruption after the last compaction is found despite etcd's kept hash", async () => {
  await using bed = await startWorld();
  await begin(bed, 3);
  bed.etcd.hashes.set("e-0", 2);
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 5, version: "3.6.16" } });
  await bed.until(isSettled, "five");
  const { processes, hashes } = bed.etcd;
  assert.ok(["e-1", "e-2"].every((name) => processes.has(name)) && !processes.has("e-0"), [...processes.keys()].join());
  const bad = [...processes.keys()].filter((name) => hashes.has(name));
  assert.deepEqual(bad, []);
});

test("hashes are requested again at a common revision after a write in between", async () => {
  await using bed = await startWorld();
  await begin(bed, 1);
  let writes = 0;
  bed.etcd.duringHash = () => {
    for (const cluster of bed.etcd.clusters.values()) cluster.revision++;
    writes++;
  };
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 3, version: "3.6.16" } });
  const now = await bed.until(isSettled, "three");
  assert.ok(writes > 0);
  assert.equal(condition(now, "Degraded")?.status, "False");
});
