import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { newestPatches } from "../../src/observe/index.ts";
import { differingAmong } from "capstan/stateful/quorum";
import { flagsOf } from "../../src/pods/flags.ts";
import type { EtcdProcess } from "./processes.ts";
import { startEtcd, startEtcdCluster, startHealthyEtcd, takePlace, untilHealthy } from "./processes.ts";

const VERSIONS = Object.values(newestPatches);

/** The operator's flags for an existing member, without those that depend on its folder and ports. */
function livingFlags(version: string): string {
  const flags = flagsOf({
    place: { name: "e", namespace: "default", isSecure: false },
    token: "t",
    member: "m0",
    boot: "live",
    version,
    peers: [],
    quota: 2 ** 31,
    compaction: { mode: "Off", retention: "1h" },
    options: {},
  });
  return flags.find((flag) => flag.startsWith("--initial-cluster-state=")) ?? "";
}

for (const version of VERSIONS) {
  test(`etcd ${version}: an existing member needs its data to start`, async () => {
    assert.equal(livingFlags(version), "--initial-cluster-state=existing");
    const place = await takePlace();
    await using first = await startHealthyEtcd({ version, place });
    await first.client.kv.put("key", "value");
    const { memberId } = await first.client.maintenance.status();
    await first.stop("SIGTERM");

    const again = await startEtcd({ version, place, state: "existing" });
    await untilHealthy(again);
    assert.equal((await again.client.maintenance.status()).memberId, memberId);
    await again[Symbol.asyncDispose]();

    await using empty = await startEtcd({ version, place: await takePlace(), state: "existing" });
    // Waits for `close`, not `exit`: the last output may come after the exit.
    const [code] = (await once(empty.process, "close")) as [number | null];
    assert.notEqual(code, 0, empty.log());
    assert.match(empty.log(), /cannot fetch cluster info from peer urls/u);
  });

  test(`etcd ${version}: members with equal data have equal hashes`, async () => {
    await using cluster = await startEtcdCluster(3, { version });
    const [first, second] = cluster.members;
    assert.ok(first && second);
    for (let at = 0; at < 50; at++) await first.client.kv.put(`key-${at % 10}`, `value-${at}`);
    const { revision } = await first.client.maintenance.status();
    await first.client.kv.compact(revision - 20, { physical: true });
    await second.client.maintenance.defragment();
    const hashOf = async (member: EtcdProcess) => {
      // A linearizable read brings it up to date.
      await member.client.maintenance.checkHealth();
      return { member: member.name, hash: await member.client.maintenance.hashKv({ revision }), version };
    };
    const hashes = await Promise.all(cluster.members.map(hashOf));
    assert.equal(new Set(hashes.map(({ hash }) => hash.compactRevision)).size, 1);
    assert.deepEqual(differingAmong(hashes), []);
  });
}
