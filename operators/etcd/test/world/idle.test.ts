import assert from "node:assert/strict";
import { test } from "node:test";
import { EtcdCluster, EtcdOperation } from "../../src/kinds/index.ts";
import { condition, isSettled, startWorld } from "./world.ts";
import type { EtcdWorld } from "./world.ts";

/** So many that are well, and that nobody writes to: all was compacted up to the newest revision. */
async function begin(bed: EtcdWorld, size: number): Promise<void> {
  await bed.world.apply(EtcdCluster, "e", { spec: { size, version: "3.6.16" } });
  await bed.until(isSettled, "members");
  bed.etcd.compact();
}

/** The process is started anew: what it kept of compactions is forgotten. */
function restart(bed: EtcdWorld, name: string): void {
  bed.etcd.processes.get(name)?.kept.splice(0);
}

/** The operator changes nothing that belongs to others. */
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
  test(`${size} that nobody writes to can become ${what}`, async () => {
    await using bed = await startWorld();
    await begin(bed, size);
    await bed.world.apply(EtcdCluster, "e", { spec });
    await bed.until(isSettled, what);
    nobodyWrote(bed);
  });

test("three that nobody writes to, of which one was restarted since they were compacted: another one is replaced", async () => {
  await using bed = await startWorld();
  await begin(bed, 3);
  restart(bed, "e-2");
  await bed.world.apply(EtcdOperation, "op", { spec: { cluster: "e", do: { replaceMember: { member: "e-1" } } } });
  await bed.until((now) => isSettled(now) && !bed.etcd.processes.has("e-1"), "another in its place");
  nobodyWrote(bed);
});

test("one of three is gone for good, and of those that are left one was restarted: another comes in its place", async () => {
  await using bed = await startWorld();
  await begin(bed, 3);
  restart(bed, "e-2");
  await bed.loseVolumes(["e-1"]);
  await bed.until((now) => isSettled(now) && !bed.etcd.processes.has("e-1"), "another in its place");
});

test("data that went bad since the last compaction is seen, although etcd keeps the hash of before", async () => {
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

test("somebody writes while hashes are asked for: they are asked for again, at a revision that all have", async () => {
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
