/** Backups of real etcd in real stores: made, read back, restored with etcdutl, and compared key by key. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, open, readFile, rm, truncate, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { promisify } from "node:util";
import { ETCD_VERSIONS } from "@capstan/kubernetes";
import { systemClock } from "capstan";
import { BackupError, openDirectory, openS3, StoreError } from "capstan/stateful";
import type { BackupErrorCode, Store } from "capstan/stateful";
import { findBackup, listBackups, prune, readManifest } from "capstan/stateful/parts";
import type { Catalog } from "capstan/stateful/parts";
import { fetchBackup } from "../../src/backup/fetch-backup.ts";
import { makeBackup } from "../../src/backup/make-backup.ts";
import type { MakeBackupOptions } from "../../src/backup/make-backup.ts";
import { format } from "../../src/backup/manifest.ts";
import type { Manifest } from "../../src/backup/manifest.ts";
import { inspectSnapshot } from "../../src/backup/snapshot/spool.ts";
import type { EtcdClient } from "../../src/etcd/index.ts";
import {
  etcdPrograms,
  startEtcd,
  startEtcdCluster,
  startHealthyEtcd,
  takePlace,
  untilHealthy,
} from "../etcd/processes.ts";
import type { EtcdProcess } from "../etcd/processes.ts";
import { startS3 } from "../s3/server.ts";
import type { S3Server } from "../s3/server.ts";

const run = promisify(execFile);
const failsWith = (code: BackupErrorCode) => (error: unknown) => error instanceof BackupError && error.code === code;
const cluster = { namespace: "shop", name: "db" };

/** A folder that is removed with the test. */
async function scratch(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), "capstan-backup-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

function optionsFor(members: readonly EtcdProcess[], store: Store, folder: string): MakeBackupOptions {
  const clients = members.map(({ client }) => client);
  const now = (): number => Date.now();
  const rest = { compression: "gzip", learners: "never", now, randomBytes } as const;
  return { members: clients, store, scratch: folder, cluster, ...rest };
}

/** The backups in a store; with a key, only authentic ones. */
function catalogOf(store: Store, key?: Buffer): Catalog<Manifest> {
  return { store, format, ...(key === undefined ? {} : { key }) };
}

const DAY = 86_400_000;

/** Sets the file's times to two days ago. */
async function makeOld(path: string): Promise<void> {
  const then = new Date(Date.now() - 2 * DAY);
  await utimes(path, then, then);
}

async function fill({ kv }: EtcdClient): Promise<void> {
  for (let at = 0; at < 60; at++) await kv.put(`key/${at}`, randomBytes(20_000));
  for (let at = 0; at < 60; at += 3) await kv.delete({ key: `key/${at}` });
  for (let at = 0; at < 60; at += 2) await kv.put(`key/${at}`, `again ${at}`);
  const { revision } = await kv.range({ key: "x" });
  await kv.compact(revision - 10);
}

/** Every key with its value, revisions and lease. */
async function contentOf({ kv }: EtcdClient): Promise<string[]> {
  const { kvs } = await kv.range({ prefix: "" });
  return kvs.map(
    (one) =>
      `${one.key.toString()} ${one.createRevision} ${one.modRevision} ${one.version} ${one.value.toString("hex")}`,
  );
}

/** Like the operator's seed member: etcdutl creates the data folder. */
async function restore(snapshot: string, version: string): Promise<EtcdProcess> {
  const place = await takePlace();
  const { etcdutl } = await etcdPrograms(version);
  const peer = `http://127.0.0.1:${place.peerPort}`;
  const flags = {
    name: "m0",
    "initial-cluster": `m0=${peer}`,
    "initial-advertise-peer-urls": peer,
    "data-dir": join(place.folder, "data"),
  };
  await run(etcdutl, [
    "snapshot",
    "restore",
    snapshot,
    ...Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`),
  ]);
  return untilHealthy(await startEtcd({ version, place }));
}

function openBucketOf({ endpoint, bucket, ca, accessKeyId, secretAccessKey }: S3Server): Store & Disposable {
  const credentials = { accessKeyId, secretAccessKey };
  return openS3({ endpoint, bucket, ca, region: "us-east-1", credentials, clock: systemClock, random: Math.random });
}

for (const version of ETCD_VERSIONS) {
  test(`etcd ${version}: an encrypted backup from a bucket restores every key`, async () => {
    await using server = await startS3();
    using store = openBucketOf(server);
    await using folder = await scratch();
    const key = randomBytes(32);
    let before: string[];
    let manifest: Manifest;
    {
      await using old = await startEtcdCluster(3, { version });
      const [first] = old.members;
      assert.ok(first);
      await fill(first.client);
      before = await contentOf(first.client);
      manifest = await makeBackup({
        ...optionsFor(old.members, store, folder.path),
        key,
        compression: "zstd",
        spec: { size: 3 },
      });
      const { revision } = await first.client.maintenance.status();
      assert.equal(manifest.revision, revision);
    }
    assert.equal(manifest.version, version);
    assert.ok(manifest.kvHash);
    assert.deepEqual(await findBackup(catalogOf(store, key), {}), manifest);
    const path = join(folder.path, "restored.db");
    const { file } = await fetchBackup({ store, name: manifest.name, key, path, version });
    assert.equal(file.sha256, manifest.snapshot.sha256);
    await using member = await restore(path, version);
    assert.deepEqual(await contentOf(member.client), before);
    const hash = await member.client.maintenance.hashKv({ revision: manifest.revision });
    assert.deepEqual({ hash: hash.hash, compactRevision: hash.compactRevision }, manifest.kvHash);
  });

  test(`etcd ${version}: our snapshot reader agrees with etcdutl`, async () => {
    await using etcd = await startHealthyEtcd({ version });
    await using folder = await scratch();
    const { etcdutl } = await etcdPrograms(version);
    const save = async (name: string): Promise<string> => {
      const path = join(folder.path, name);
      const parts: Buffer[] = [];
      for await (const part of await etcd.client.maintenance.snapshot()) parts.push(part);
      await writeFile(path, Buffer.concat(parts));
      return path;
    };
    const { kv } = etcd.client;
    const snapshots = [await save("empty")];
    await kv.put("one", "1");
    snapshots.push(await save("one"));
    await fill(etcd.client);
    snapshots.push(await save("many"));
    await kv.delete({ prefix: "" });
    const { revision } = await kv.range({ key: "x" });
    await kv.compact(revision, { physical: true });
    snapshots.push(await save("compacted"));
    const ours = await Promise.all(snapshots.map(async (path) => (await inspectSnapshot(path)).revision));
    assert.deepEqual(ours, [1, 2, revision - 1, revision]);
    // etcdutl counts only the keys, so its first and last values differ from what a member would start with.
    const { stdout } = await run(etcdutl, ["snapshot", "status", snapshots[2] ?? "", "--write-out=json"]);
    assert.equal((JSON.parse(stdout) as { revision: number }).revision, ours[2]);
  });
}

describe("a folder as the store", () => {
  const version = "3.6.16";

  test("every form is restored, and a backup of the newest revision is taken", async () => {
    await using etcd = await startHealthyEtcd({ version });
    await using folder = await scratch();
    await fill(etcd.client);
    const store = openDirectory({ root: folder.path, path: "store" });
    const ownKey = randomBytes(32);
    for (const compression of ["none", "gzip", "zstd"] as const) {
      for (const key of [undefined, undefined, ownKey]) {
        const options = { ...optionsFor([etcd], store, folder.path), compression, ...(key ? { key } : {}) };
        const manifest = await makeBackup(options);
        const path = join(folder.path, "back.db");
        await fetchBackup({ store, name: manifest.name, path, version, ...(key ? { key } : {}) });
        assert.equal((await inspectSnapshot(path)).revision, manifest.revision);
      }
    }
    const encrypted = await listBackups(catalogOf(store, ownKey), "shop/db/");
    assert.deepEqual([encrypted.backups.length, encrypted.refused.length], [3, 6], "a key demands encryption");
    const { backups } = await listBackups(catalogOf(store), "shop/db/");
    assert.equal(backups.length, 6);
    const [newest, ...older] = backups;
    const oldest = older.at(-1);
    assert.ok(newest && oldest);
    const retention = { count: 2 };
    // A recreated cluster of the same name has another id. The backups of the first one stay.
    const proven = { ...newest, cluster: { ...newest.cluster, clusterId: "another" } };
    assert.deepEqual((await prune(catalogOf(store), { proven, retention, now: Date.now() })).removed, []);
    // The proven backup stays, however old it is.
    const { kept, removed } = await prune(catalogOf(store), { proven: oldest, retention, now: Date.now() });
    assert.deepEqual([kept.length, removed.length], [3, 3]);
    assert.equal(kept.at(-1)?.name, oldest.name);
    const last = await prune(catalogOf(store), { proven: newest, retention, now: Date.now() });
    assert.deepEqual([last.kept.length, last.removed], [2, [oldest.name]]);
    assert.equal((await store.list("")).length, 10, "backups that cannot be read are not pruned");
  });

  test("leftovers of broken uploads are pruned after a day, running uploads stay", async () => {
    await using folder = await scratch();
    const store = openDirectory({ root: folder.path });
    const half = async function* (): AsyncGenerator<Buffer> {
      yield Buffer.from("half");
    };
    const name = "shop/db/20260101T000000Z-r1-00";
    await store.put(`${name}.snapshot`, half());
    // Only the cluster id matters.
    const proven = { name: "shop/db/y", cluster: { ...cluster, clusterId: "1" } } as Manifest;
    const pruned = async (now: number): Promise<number> => {
      await prune(catalogOf(store), { proven, retention: {}, now });
      return (await store.list(name)).length;
    };
    assert.equal(await pruned(Date.now()), 1);
    // A local clock that is ahead of the store's clock does not make objects old.
    assert.equal(await pruned(Date.now() + 2 * DAY), 1);
    await makeOld(join(folder.path, `${name}.snapshot`));
    await store.put("shop/db/20260102T000000Z-r1-00.snapshot", half());
    assert.equal(await pruned(Date.now()), 0);
  });

  test("backups by hand or of other policies stay, those without an owner are pruned", async () => {
    await using etcd = await startHealthyEtcd({ version });
    await using folder = await scratch();
    const store = openDirectory({ root: folder.path });
    const options = optionsFor([etcd], store, join(folder.path));
    const make = async (policy?: string): Promise<string> => (await makeBackup({ ...options, policy })).name;
    const [nobodys, monthly, byHand] = [await make(), await make("shop/monthly"), await make("by hand")];
    const hourly = [await make("shop/hourly"), await make("shop/hourly")];
    const proven = await makeBackup({ ...options, policy: "shop/hourly" });
    const { removed } = await prune(catalogOf(store), { proven, retention: { count: 1 }, now: Date.now() });
    assert.deepEqual(removed.toSorted(), [nobodys, ...hourly].toSorted());
    const { backups } = await listBackups(catalogOf(store), "");
    assert.deepEqual(backups.map(({ name }) => name).sort(), [monthly, byHand, proven.name].sort());
  });

  test("a store that hides a manifest loses no backup", async () => {
    await using etcd = await startHealthyEtcd({ version });
    await using folder = await scratch();
    const store = openDirectory({ root: folder.path });
    const options = optionsFor([etcd], store, join(folder.path));
    const old = await makeBackup(options);
    await makeOld(join(folder.path, `${old.name}.snapshot`));
    const proven = await makeBackup(options);
    const hidden = `${old.name}.json`;
    const lying: readonly Store[] = [
      { ...store, list: async (prefix) => (await store.list(prefix)).filter(({ name }) => name !== hidden) },
      {
        ...store,
        get: async (name, call) => {
          if (name === hidden) throw new StoreError("NotFound", "not yet");
          return store.get(name, call);
        },
      },
    ];
    for (const place of lying) await prune(catalogOf(place), { proven, retention: {}, now: Date.now() });
    const ahead = Date.now() + 3650 * DAY;
    await prune(catalogOf(store), { proven, retention: { ageMs: 30 * DAY }, now: ahead });
    assert.deepEqual(
      (await listBackups(catalogOf(store), "")).backups.map(({ name }) => name).sort(),
      [old.name, proven.name].sort(),
    );
    await fetchBackup({ store, name: old.name, path: join(folder.path, "back.db"), version });
  });

  test("without a name the newest backup is used, unless there are several clusters", async () => {
    await using etcd = await startHealthyEtcd({ version });
    await using folder = await scratch();
    const store = openDirectory({ root: folder.path });
    await assert.rejects(findBackup(catalogOf(store), {}), failsWith("NotFound"));
    await assert.rejects(findBackup(catalogOf(store), { backup: "shop/db/none" }), failsWith("NotFound"));
    let time = Date.parse("2026-11-15T00:00:00Z");
    const options = { ...optionsFor([etcd], store, folder.path), now: () => (time += 1000) };
    await makeBackup(options);
    const newest = await makeBackup(options);
    assert.equal((await findBackup(catalogOf(store), {})).name, newest.name);
    await makeBackup({ ...options, cluster: { namespace: "shop", name: "other" } });
    await assert.rejects(findBackup(catalogOf(store), {}), failsWith("Ambiguous"));
    assert.equal((await findBackup(catalogOf(store), { backup: newest.name })).name, newest.name);
  });
});

describe("bad input", () => {
  const version = "3.6.16";

  /** A good backup for the tests to damage. */
  async function makeOne(
    folder: string,
    key?: Buffer,
  ): Promise<{ store: Store; manifest: Manifest; content: string; description: string }> {
    await using etcd = await startHealthyEtcd({ version });
    await fill(etcd.client);
    const store = openDirectory({ root: folder });
    const manifest = await makeBackup({ ...optionsFor([etcd], store, folder), ...(key ? { key } : {}) });
    const base = join(folder, manifest.name);
    return { store, manifest, content: `${base}.snapshot`, description: `${base}.json` };
  }

  test("a truncated or damaged backup is rejected before anything is restored", async () => {
    await using folder = await scratch();
    const path = join(folder.path, "back.db");
    const key = randomBytes(32);
    for (const secret of [undefined, key]) {
      const { store, manifest, content } = await makeOne(folder.path, secret);
      const fetching = { store, name: manifest.name, path, version, ...(secret ? { key: secret } : {}) };
      await using file = await open(content, "r+");
      await file.write(Buffer.from([1, 2, 3, 4]), 0, 4, manifest.stored.bytes >> 1);
      await assert.rejects(fetchBackup(fetching), failsWith("Corrupt"));
      await truncate(content, manifest.stored.bytes >> 1);
      await assert.rejects(
        fetchBackup(fetching),
        (error) => failsWith("Truncated")(error) || failsWith("Corrupt")(error),
      );
      await rm(content);
      await assert.rejects(fetchBackup(fetching), (error) => error instanceof StoreError && error.code === "NotFound");
    }
  });

  test("another key, no key, a changed manifest", async () => {
    await using folder = await scratch();
    const path = join(folder.path, "back.db");
    const key = randomBytes(32);
    const { store, manifest, description } = await makeOne(folder.path, key);
    const fetching = { store, name: manifest.name, path, version };
    await assert.rejects(fetchBackup(fetching), failsWith("WrongKey"));
    await assert.rejects(fetchBackup({ ...fetching, key: randomBytes(32) }), failsWith("WrongKey"));
    const text = await readFile(description, "utf8");
    await writeFile(description, text.replace(/"revision": \d+/, '"revision": 7'));
    await assert.rejects(fetchBackup({ ...fetching, key }), failsWith("Corrupt"));
    await writeFile(description, text.replace('"format": 2', '"format": 1'));
    await assert.rejects(readManifest(catalogOf(store, key), manifest.name), failsWith("Unsupported"));
    await writeFile(description, "not json");
    await assert.rejects(readManifest(catalogOf(store, key), manifest.name), failsWith("Corrupt"));
    const { backups, refused } = await listBackups(catalogOf(store, key), "");
    assert.deepEqual([backups.length, refused.map(({ name }) => name)], [0, [manifest.name]]);
  });

  test("of a newer version", async () => {
    await using folder = await scratch();
    const { store, manifest } = await makeOne(folder.path);
    const fetching = { store, name: manifest.name, path: join(folder.path, "back.db") };
    await assert.rejects(fetchBackup({ ...fetching, version: "3.5.35" }), failsWith("NewerVersion"));
    await fetchBackup({ ...fetching, version: "3.7.3" });
  });

  test("no member responds", async () => {
    await using folder = await scratch();
    const etcd = await startHealthyEtcd({ version });
    await etcd[Symbol.asyncDispose]();
    const store = openDirectory({ root: folder.path });
    await assert.rejects(makeBackup(optionsFor([etcd], store, folder.path)), failsWith("NoMember"));
    assert.deepEqual(await store.list(""), []);
  });

  test("a failed upload leaves nothing in the store", async () => {
    await using etcd = await startHealthyEtcd({ version });
    await using folder = await scratch();
    await fill(etcd.client);
    const inner = openDirectory({ root: folder.path });
    const refusing: Store = {
      ...inner,
      put: async (name, content, call) => {
        if (name.endsWith(".json")) throw new StoreError("Full", "no room");
        return inner.put(name, content, call);
      },
    };
    await assert.rejects(makeBackup(optionsFor([etcd], refusing, folder.path)), StoreError);
    assert.deepEqual(await inner.list(""), []);
    const lying: Store = {
      ...inner,
      put: async (name, content, call) => {
        const answer = await inner.put(name, content, call);
        if (name.endsWith(".snapshot")) await truncate(join(folder.path, name), 100);
        return answer;
      },
    };
    await assert.rejects(makeBackup(optionsFor([etcd], lying, folder.path)), BackupError);
    assert.deepEqual(await inner.list(""), []);
  });
});
