/** A cluster that nobody writes to is compacted at its newest revision, where members tell the hash that they kept: its backups are good all the same. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { systemClock } from "capstan";
import { runJob } from "../../src/backup/agent/run-job.ts";
import { fetchBackup } from "../../src/backup/fetch-backup.ts";
import { makeBackup } from "../../src/backup/make-backup.ts";
import { openDirectory } from "../../src/store/index.ts";
import { etcdPrograms, startEtcd, startHealthyEtcd, takePlace } from "../etcd/processes.ts";

for (const version of ["3.5.35", "3.6.16", "3.7.3"])
  test(`a backup of an idle cluster of ${version} passes its trial`, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), "idle-"));
    t.after(() => rm(folder, { recursive: true }));
    await using idle = await startHealthyEtcd({ version });
    for (let count = 0; count < 30; count++) await idle.client.kv.put(`k${count % 5}`, `v${count}`);
    await idle.client.kv.compact(10, { physical: true });
    await idle.client.kv.compact((await idle.client.maintenance.status()).revision, { physical: true });
    const store = openDirectory({ root: folder });
    const cluster = { namespace: "n", name: "e" };
    const { name, revision, kvHash } = await makeBackup({
      members: [idle.client],
      store,
      scratch: folder,
      cluster,
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
    assert.deepEqual(await runJob(trial, { clock: systemClock, random: Math.random }), { ok: true });
  });
