/** Only a learner is left: etcd does not continue alone with its data, but serves a snapshot of it. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { newestPatches } from "../../src/observe/index.ts";
import { etcdPrograms, startEtcd, startHealthyEtcd, takePlace, until } from "./processes.ts";
import type { EtcdProcess } from "./processes.ts";

for (const version of Object.values(newestPatches)) {
  test(`etcd ${version}: a lone learner serves a snapshot, and cannot start alone`, async () => {
    await using voter = await startHealthyEtcd({ version });
    await using learner = await joinLearner(version, voter);
    const { revision } = await voter.client.kv.put("key", "value");
    await until("the learner has it", async () => (await learner.client.maintenance.status()).revision >= revision);
    await voter.stop();

    await using folder = await openFolder();
    await restoreFrom(version, await snapshotOf(learner, folder.path), folder.path);
    const status = await learner.client.maintenance.status();
    assert.equal(status.isLearner, true);
    assert.equal(status.revision, revision);

    const place = { ...(await takePlace()), folder: folder.path };
    await using restored = await startHealthyEtcd({ version, place, name: learner.name });
    assert.equal((await restored.client.kv.get("key"))?.value.toString(), "value");

    await learner.stop();
    await using alone = await startEtcd({
      version,
      name: learner.name,
      place: learner.place,
      arguments: ["--force-new-cluster"],
    });
    // Waits for `close`, not `exit`: the last output may come after the exit.
    const [code] = (await once(alone.process, "close")) as [number | null];
    assert.notEqual(code, 0);
    assert.match(alone.log(), /removed all voters/u);
  });
}

async function joinLearner(version: string, voter: EtcdProcess): Promise<EtcdProcess> {
  const place = await takePlace();
  await voter.client.members.add({ peerURLs: [`http://127.0.0.1:${place.peerPort}`], isLearner: true });
  return await startEtcd({
    version,
    place,
    name: "m1",
    state: "existing",
    peers: [`${voter.name}=${voter.peerURL}`],
  });
}

async function openFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), "capstan-etcd-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

async function snapshotOf({ client }: EtcdProcess, folder: string): Promise<string> {
  const path = join(folder, "snapshot.db");
  await writeFile(path, await client.maintenance.snapshot());
  return path;
}

async function restoreFrom(version: string, snapshot: string, folder: string): Promise<void> {
  const { etcdutl } = await etcdPrograms(version);
  const flags = ["snapshot", "restore", snapshot, `--data-dir=${join(folder, "data")}`];
  await promisify(execFile)(etcdutl, flags);
}
