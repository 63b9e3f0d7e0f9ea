/** Compactions at a bad moment: the hash that a member reports then cannot be compared, and the backup is good all the same. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { promisify } from "node:util";
import { systemClock } from "capstan";
import type { JobResult } from "../../src/backup/agent/job.ts";
import { runJob } from "../../src/backup/agent/run-job.ts";
import { fetchBackup } from "../../src/backup/fetch-backup.ts";
import { makeBackup } from "../../src/backup/make-backup.ts";
import type { EtcdClient } from "../../src/etcd/index.ts";
import { openDirectory } from "capstan/stateful";
import { etcdPrograms, startEtcd, startHealthyEtcd, takePlace } from "../etcd/processes.ts";

/** Makes a backup from a client, starts a member with it, and runs the trial on that member. */
async function tryBackup(folder: string, version: string, client: EtcdClient): Promise<JobResult> {
  const store = openDirectory({ root: folder });
  const { name, revision, kvHash } = await makeBackup({
    members: [client],
    store,
    scratch: folder,
    cluster: { namespace: "n", name: "e" },
    learners: "never",
    compression: "gzip",
    now: () => Date.now(),
    randomBytes,
  });
  assert.ok(kvHash);
  const place = await takePlace();
  const path = join(folder, "snapshot.db");
  await fetchBackup({ store, name, path, version });
  const peer = `http://127.0.0.1:${place.peerPort}`;
  const into = [`--data-dir=${join(place.folder, "data")}`, "--name=m0"];
  const peers = [`--initial-cluster=m0=${peer}`, `--initial-advertise-peer-urls=${peer}`];
  const { etcdutl } = await etcdPrograms(version);
  await promisify(execFile)(etcdutl, ["snapshot", "restore", path, ...into, ...peers]);
  await using restored = await startEtcd({ version, place });
  const trial = { do: "check", endpoint: restored.clientURL, revision, kvHash } as const;
  return await runJob(trial, { clock: systemClock, random: Math.random });
}

async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "idle-"));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

for (const version of ["3.5.35", "3.6.16", "3.7.3"]) {
  test(`a backup of an idle cluster of ${version} passes its trial`, async (t) => {
    await using idle = await startHealthyEtcd({ version });
    for (let count = 0; count < 30; count++) await idle.client.kv.put(`k${count % 5}`, `v${count}`);
    await idle.client.kv.compact(10, { physical: true });
    await idle.client.kv.compact((await idle.client.maintenance.status()).revision, { physical: true });
    assert.deepEqual(await tryBackup(await folderFor(t), version, idle.client), { ok: true });
  });

  test(`a backup of ${version} passes its trial despite a compaction meanwhile`, async (t) => {
    await using busy = await startHealthyEtcd({ version });
    const { client } = busy;
    for (let count = 0; count < 30; count++) await client.kv.put(`k${count % 5}`, `v${count}`);
    await client.kv.compact(10, { physical: true });
    const maintenance: EtcdClient["maintenance"] = {
      ...client.maintenance,
      hashKv: async (call) => {
        // The snapshot is complete. etcd compacts by itself every hour.
        await client.kv.compact(20, { physical: true });
        return await client.maintenance.hashKv(call);
      },
    };
    const giver = { ...client, maintenance };
    assert.deepEqual(await tryBackup(await folderFor(t), version, giver), { ok: true });
  });
}
