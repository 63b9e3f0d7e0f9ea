/** What a first member gets from a backup, with etcd's programs: its data, and revisions that no client has seen before. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { ETCD_VERSIONS } from "@capstan/kubernetes";
import { seedParts } from "../../src/backup/pods.ts";
import { EtcdError } from "../../src/etcd/index.ts";
import { etcdPrograms, startEtcd, startHealthyEtcd, takePlace, untilHealthy } from "../etcd/processes.ts";
import type { MemberPlace } from "../etcd/processes.ts";

const run = promisify(execFile);

/** The arguments of etcdutl in the pod of a first member, with the paths of the test's folder. */
function restoreArguments(version: string, place: MemberPlace, bump: number): readonly string[] {
  const { initContainers } = seedParts({
    agentImage: "agent",
    expected: { cluster: { namespace: "shop", name: "db" } },
    source: { store: { volume: { claim: "b", path: "" } } },
    image: "etcd",
    version,
    member: "m0",
    peerURL: `http://127.0.0.1:${place.peerPort}`,
    token: "t",
    volume: { name: "data", mountPath: place.folder },
    dataDir: join(place.folder, "data"),
    bump,
  });
  const restore = initContainers.find(({ name }) => name === "restore");
  assert.ok(restore && "args" in restore);
  return restore.args.map((arg) => arg.replace("/restore/data", "/data"));
}

test("revisions are raised only if etcd can and the cluster existed before", async () => {
  const place = { folder: "/f", clientPort: 1, peerPort: 2 };
  const raises = (version: string, bump: number): boolean =>
    restoreArguments(version, place, bump).some((arg) => arg.startsWith("--bump-revision"));
  assert.deepEqual(
    [raises("3.5.9", 1), raises("3.5.10", 1), raises("3.6.0", 1), raises("3.6.0", 0)],
    [false, true, true, false],
  );
});

for (const version of ETCD_VERSIONS) {
  test(`etcd ${version}: a member starts from a backup, and old watches are canceled`, async () => {
    const { etcdctl, etcdutl } = await etcdPrograms(version);
    await using before = await startHealthyEtcd({ version });
    await before.client.kv.put("key", "value");
    const { revision } = await before.client.maintenance.status();
    const place = await takePlace();
    await mkdir(join(place.folder, "restore"));
    const snapshot = join(place.folder, "restore/snapshot.db");
    await run(etcdctl, [`--endpoints=${before.clientURL}`, "snapshot", "save", snapshot]);
    await run(etcdutl, [...restoreArguments(version, place, 1_000_000_000)]);
    await using after = await startEtcd({ version, place, state: "existing" });
    await untilHealthy(after);
    assert.equal((await after.client.kv.get("key"))?.value.toString(), "value");
    assert.ok((await after.client.maintenance.status()).revision >= 1_000_000_000 + revision);
    const isCompacted = (error: unknown): boolean => error instanceof EtcdError && error.code === "Compacted";
    await assert.rejects(after.client.kv.range({ key: "key", revision }), isCompacted);
  });
}
