/** The agent's jobs on real etcd, run one after the other as pods run them: back up, describe, fetch, restore, adopt, check. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readdir, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { ETCD_VERSIONS } from "@capstan/kubernetes";
import { systemClock } from "capstan";
import { formatResult, parseResult } from "capstan/stateful/parts";
import type { StoreJob } from "capstan/stateful/parts";
import type { Job } from "../../src/backup/agent/job.ts";
import { runJob } from "../../src/backup/agent/run-job.ts";
import type { Manifest } from "../../src/backup/manifest.ts";
import { etcdPrograms, startEtcd, startHealthyEtcd, takePlace } from "../etcd/processes.ts";
import { startS3 } from "../s3/server.ts";

const run = promisify(execFile);
const NAMES = ["credentials", "storeCa", "encryption", "tls", "volume", "scratch", "result"] as const;

/** Folders in place of the mounts of a pod. */
async function mounts() {
  const root = await mkdtemp(join(tmpdir(), "capstan-agent-"));
  const paths = Object.fromEntries(NAMES.map((name) => [name, join(root, name)])) as Record<
    (typeof NAMES)[number],
    string
  >;
  await Promise.all(Object.values(paths).map((path) => mkdir(path)));
  const surroundings = { clock: systemClock, random: Math.random, paths };
  return { paths, surroundings, [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) };
}

for (const [at, version] of ETCD_VERSIONS.entries()) {
  test(`etcd ${version}: a backup goes ${at === 0 ? "to a volume" : "to a bucket"} and a member begins with it, however often its pod starts`, async () => {
    await using pod = await mounts();
    await using server = await startS3();
    const { paths, surroundings } = pod;
    const { endpoint, bucket, ca, accessKeyId, secretAccessKey } = server;
    await writeFile(join(paths.credentials, "accessKeyId"), accessKeyId);
    await writeFile(join(paths.credentials, "secretAccessKey"), `${secretAccessKey}\n`);
    await writeFile(join(paths.storeCa, "ca.crt"), ca);
    await writeFile(join(paths.encryption, "key"), randomBytes(32).toString("base64"));
    const s3: StoreJob = { kind: "s3", bucket, prefix: "etcd/", endpoint, region: "us-east-1", pathStyle: true };
    const store: StoreJob = at === 0 ? { kind: "volume", path: "etcd" } : s3;
    const work = { store, isEncrypted: true };

    await using etcd = await startHealthyEtcd({ version });
    for (let count = 0; count < 20; count++) await etcd.client.kv.put(`k${count}`, `v${count}`);
    const cluster = { namespace: "shop", name: "db" };
    const job: Extract<Job, { do: "backup" }> = {
      do: "backup",
      ...work,
      cluster,
      spec: { size: 3, podTemplate: { note: "x".repeat(20_000) } },
      endpoints: [etcd.clientURL],
      compression: "gzip",
      retention: { count: 2 },
    };
    for (let count = 0; count < 3; count++) {
      const result = await runJob(job, surroundings);
      assert.ok(result.ok, JSON.stringify(result));
      assert.equal(result.kept, Math.min(count + 1, 2));
    }
    const { retention: _retention, ...untried } = job;
    for (const pruned of [undefined, undefined]) {
      const result = await runJob(untried, surroundings);
      assert.ok(result.ok, JSON.stringify(result));
      assert.equal(result.removed, pruned, "what is to be tried pushes nothing out");
    }
    assert.deepEqual(await readdir(paths.scratch), []);
    const described = parseResult<Manifest>(formatResult(await runJob({ do: "describe", ...work }, surroundings)));
    assert.ok(described?.ok && described.manifest);
    const { name, revision, kvHash, spec } = described.manifest;
    assert.deepEqual(spec, (job as { spec?: unknown }).spec);

    const place = await takePlace();
    const folder = join(place.folder, "restore");
    const peer = `http://127.0.0.1:${place.peerPort}`;
    const { etcdutl } = await etcdPrograms(version);
    const begin = async (): Promise<void> => {
      const path = join(folder, "snapshot.db");
      const fetched = await runJob({ do: "fetch", ...work, backup: name, version, path, clear: folder }, surroundings);
      assert.ok(fetched.ok, JSON.stringify(fetched));
      const flags = [
        `--data-dir=${folder}/data`,
        "--name=m0",
        `--initial-cluster=m0=${peer}`,
        `--initial-advertise-peer-urls=${peer}`,
      ];
      await run(etcdutl, ["snapshot", "restore", path, ...flags]);
      const adopt: Job = { do: "adopt", from: `${folder}/data`, to: join(place.folder, "data"), clear: folder };
      assert.deepEqual(await runJob(adopt, surroundings), { ok: true });
    };
    await begin();
    const member = await startEtcd({ version, place });
    const check: Job = { do: "check", endpoint: member.clientURL, revision, ...(kvHash ? { kvHash } : {}) };
    const prune = { ...work, backup: name, retention: { count: 2 } };
    const different = await runJob({ ...check, revision: revision - 1, prune }, surroundings);
    assert.equal(different.ok ? "" : different.code, "Different");
    // All four are still there: the failed trial removed nothing.
    assert.deepEqual(await runJob({ ...check, prune }, surroundings), { ok: true, kept: 2, removed: 2 });
    assert.deepEqual(await runJob(check, surroundings), { ok: true });
    await member.client.kv.put("written", "after the restore");
    const torn = await runJob({ ...check, revision: revision + 1 }, surroundings);
    assert.equal(torn.ok ? "" : torn.code, "Different");
    await member.stop();
    // After a restart of the node all init containers run again. They must not touch the data of the member.
    await begin();
    await using again = await startEtcd({ version, place });
    assert.deepEqual(await runJob({ do: "check", endpoint: again.clientURL, revision: revision + 1 }, surroundings), {
      ok: true,
    });
    assert.equal((await again.client.kv.get("written"))?.value.toString(), "after the restore");
    await member.client[Symbol.asyncDispose]();
  });
}

test("a backup is described only if all of it can be read", async () => {
  await using pod = await mounts();
  const { paths, surroundings } = pod;
  const store: StoreJob = { kind: "volume", path: "" };
  await using etcd = await startHealthyEtcd({ version: "3.6.16" });
  await etcd.client.kv.put("k", "v");
  const job: Job = {
    do: "backup",
    store,
    isEncrypted: false,
    cluster: { namespace: "shop", name: "db" },
    spec: {},
    endpoints: [etcd.clientURL],
    compression: "none",
  };
  const made = await runJob(job, surroundings);
  assert.ok(made.ok && made.manifest, JSON.stringify(made));
  const describe: Job = { do: "describe", store, isEncrypted: false };
  assert.ok((await runJob(describe, surroundings)).ok);
  await truncate(join(paths.volume, `${made.manifest.name}.snapshot`), 100);
  const torn = await runJob(describe, surroundings);
  assert.equal(torn.ok ? "" : torn.code, "Truncated");
});

test("a failed job reports a code for its cause", async () => {
  await using pod = await mounts();
  const { surroundings } = pod;
  const s3: StoreJob = {
    kind: "s3",
    bucket: "b",
    prefix: "",
    endpoint: "https://127.0.0.1:1",
    region: "r",
    pathStyle: true,
  };
  const outcome = async (job: Job): Promise<string> => {
    const result = await runJob(job, { ...surroundings, random: () => 0 });
    return result.ok ? "ok" : result.code;
  };
  assert.equal(await outcome({ do: "describe", store: s3, isEncrypted: false }), "Denied");
  await writeFile(join(pod.paths.credentials, "accessKeyId"), "a");
  await writeFile(join(pod.paths.credentials, "secretAccessKey"), "b");
  assert.equal(await outcome({ do: "describe", store: s3, isEncrypted: false }), "Unreachable");
  const volume: StoreJob = { kind: "volume", path: "" };
  assert.equal(await outcome({ do: "describe", store: volume, isEncrypted: false }), "NotFound");
  const backup: Job = {
    do: "backup",
    store: volume,
    isEncrypted: false,
    cluster: { namespace: "n", name: "c" },
    spec: {},
    endpoints: [],
    compression: "none",
    retention: {},
  };
  assert.equal(await outcome(backup), "NoMember");
  await writeFile(join(pod.paths.encryption, "key"), "hunter2");
  assert.equal(await outcome({ ...backup, isEncrypted: true }), "BadKey");
});

test("an oversized result is truncated in the fields that allow it", () => {
  const long = formatResult({ ok: false, code: "X", message: randomBytes(8000).toString("hex") });
  assert.ok(long.length <= 4096);
  assert.equal(parseResult(long)?.ok, false);
  assert.equal(parseResult("Killed"), undefined);
  assert.equal(parseResult(undefined), undefined);
});
