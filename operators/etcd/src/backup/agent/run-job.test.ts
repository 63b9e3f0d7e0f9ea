/** Jobs of the operator against a store in which a writer without the key has placed objects. */
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { cp, mkdir, mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { VirtualClock } from "capstan/testing";
import { encrypt, openDirectory, readWhole } from "capstan/stateful";
import { digestOf, formatManifest, LARGEST_MANIFEST, prune, seal } from "capstan/stateful/parts";
import type { WantedBackup } from "capstan/stateful/parts";
import { backupName, format, identityOf, objectNames } from "../manifest.ts";
import type { Manifest } from "../manifest.ts";
import { PATHS } from "./job.ts";
import { runJob } from "./run-job.ts";

const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

/** A snapshot as etcd writes it: whole sectors and their checksum. */
function snapshotOf(text: string): Buffer {
  const data = Buffer.alloc(512, text);
  return Buffer.concat([data, createHash("sha256").update(data).digest()]);
}

interface Making {
  readonly text: string;
  readonly hour: number;
  readonly key?: Buffer | undefined;
  readonly cluster?: string;
  readonly uid?: string;
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

/** A pod with a key and a store, and helpers to write objects. */
async function stage() {
  const root = await mkdtemp(join(tmpdir(), "capstan-forged-"));
  const key = randomBytes(32);
  const paths = { ...PATHS, volume: join(root, "volume"), encryption: join(root, "encryption") };
  await mkdir(paths.volume);
  await mkdir(paths.encryption);
  await writeFile(join(paths.encryption, "key"), key.toString("base64"));
  const file = (object: string): string => join(paths.volume, object);
  const put = async (object: string, content: string | Buffer): Promise<void> => {
    await mkdir(dirname(file(object)), { recursive: true });
    await writeFile(file(object), content);
  };
  const make = async ({ text, hour, key: used = key, cluster = "db", uid }: Making): Promise<Manifest> => {
    const draft = draftOf({ text, hour, cluster, ...(uid === undefined ? {} : { uid }) });
    const sealed = { key: used, identity: identityOf(draft), salt: randomBytes(32) };
    const content = await readWhole(encrypt(once(snapshotOf(text)), sealed));
    const manifest = seal({ ...draft, stored: { bytes: content.length, sha256: sha256(content) } }, used);
    await put(objectNames(manifest.name).content, content);
    await put(objectNames(manifest.name).manifest, formatManifest(manifest));
    return manifest;
  };
  const surroundings = { clock: new VirtualClock(), random: () => 0, paths };
  const path = join(root, "fetched", "snapshot.db");
  const fetchAs = async (desired: WantedBackup, work: { isEncrypted?: boolean; allowUnencrypted?: boolean } = {}) => {
    const store = { kind: "volume", path: "" } as const;
    const more = { version: "3.6.16", path, clear: dirname(path) };
    const job = { do: "fetch", store, isEncrypted: true, ...work, ...desired, ...more } as const;
    const described = await runJob({ ...job, do: "describe" }, surroundings);
    const result = await runJob(job, surroundings);
    assert.equal(described.ok, result.ok, "what is described and what is fetched is the same");
    if (!result.ok) return result.code;
    return (await readFile(path)).subarray(0, 512).toString().replace(/\.+$/u, "").split("|")[0];
  };
  return {
    key,
    file,
    put,
    make,
    fetch: fetchAs,
    store: openDirectory({ root: paths.volume }),
    manifestOf: async ({ name }: Manifest) =>
      JSON.parse(await readFile(file(objectNames(name).manifest), "utf8")) as Record<string, unknown>,
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

function draftOf({ text, hour, cluster = "db", uid }: Omit<Making, "key">) {
  const owner = { namespace: "shop", name: cluster, clusterId: "1", ...(uid === undefined ? {} : { uid }) };
  const time = new Date(Date.UTC(2026, 10, 15, hour));
  const bytes = snapshotOf(text);
  return {
    format: 2,
    name: backupName({ cluster: owner, time, revision: hour, salt: "ab12cd" }),
    cluster: owner,
    time: time.toISOString(),
    member: "1",
    version: "3.6.16",
    revision: hour,
    snapshot: { bytes: bytes.length, sha256: sha256(bytes) },
    compression: "none",
  } as const;
}

/** A forged backup: a writer without the key can create everything except the proof. */
async function forge(at: Awaited<ReturnType<typeof stage>>, { name }: Pick<Manifest, "name">, change: object = {}) {
  const bytes = snapshotOf("forged|");
  const size = { bytes: bytes.length, sha256: sha256(bytes) };
  const [, , hour = "0"] = /T(\d\d)(?=\d{4}Z-r(\d+)-)/u.exec(name) ?? [];
  const draft = draftOf({ text: "forged|", hour: Number(hour) });
  await at.put(objectNames(name).content, bytes);
  const manifest = { ...draft, name, snapshot: size, stored: size, ...change };
  await at.put(objectNames(name).manifest, JSON.stringify(manifest));
}

test("genuine backups are restored: the newest, and a named one", async () => {
  await using at = await stage();
  const old = await at.make({ text: "old|", hour: 1 });
  await at.make({ text: "new|", hour: 2 });
  assert.equal(await at.fetch({}), "new");
  assert.equal(await at.fetch({ cluster: { namespace: "shop", name: "db" } }), "new");
  assert.equal(await at.fetch({ backup: old.name }), "old");
  assert.equal(await at.fetch({ backup: old.name, digest: digestOf(old) }), "old");
});

test("replaced, truncated, extended or swapped content is rejected", async () => {
  await using at = await stage();
  const old = await at.make({ text: "old|", hour: 1 });
  const recent = await at.make({ text: "new|", hour: 2 });
  const content = at.file(objectNames(recent.name).content);
  const genuine = await readFile(content);
  await writeFile(content, randomBytes(genuine.length));
  assert.equal(await at.fetch({ backup: recent.name }), "Corrupt");
  await writeFile(content, Buffer.concat([genuine, genuine]));
  assert.equal(await at.fetch({ backup: recent.name }), "Corrupt");
  await writeFile(content, genuine);
  await truncate(content, genuine.length - 20);
  assert.match(String(await at.fetch({ backup: recent.name })), /Truncated|Corrupt/u);
  await cp(at.file(objectNames(old.name).content), content);
  assert.equal(await at.fetch({ backup: recent.name }), "Corrupt");
  assert.equal(await at.fetch({ backup: old.name }), "old");
});

test("a changed manifest with its old proof is rejected", async () => {
  await using at = await stage();
  await at.make({ text: "old|", hour: 1 });
  const recent = await at.make({ text: "new|", hour: 2 });
  const manifest = await at.manifestOf(recent);
  for (const change of [{ revision: 9 }, { spec: { size: 1 } }, { policy: "x" }, { version: "3.5.0" }]) {
    await at.put(objectNames(recent.name).manifest, JSON.stringify({ ...manifest, ...change }));
    assert.equal(await at.fetch({ backup: recent.name }), "Corrupt");
    assert.equal(await at.fetch({}), "Corrupt", "the old one is not taken for the newest");
  }
});

test("with a key, unencrypted content is rejected, unless allowUnencrypted is set", async () => {
  await using at = await stage();
  await at.make({ text: "old|", hour: 1 });
  const recent = await at.make({ text: "new|", hour: 2 });
  await forge(at, recent);
  assert.equal(await at.fetch({}), "Unencrypted");
  assert.equal(await at.fetch({ backup: recent.name }), "Unencrypted");
  assert.equal(await at.fetch({}, { allowUnencrypted: true }), "forged");
  assert.equal(
    await at.fetch({ backup: recent.name, digest: digestOf(recent) }, { allowUnencrypted: true }),
    "Changed",
  );
  assert.equal(await at.fetch({}, { isEncrypted: false }), "forged", "without a key the store is trusted");
});

test("encrypted content is rejected without its key", async () => {
  await using at = await stage();
  const other = await at.make({ text: "other|", hour: 1, key: randomBytes(32) });
  assert.equal(await at.fetch({}), "WrongKey");
  assert.equal(await at.fetch({ backup: other.name }), "WrongKey");
  assert.equal(await at.fetch({}, { isEncrypted: false }), "WrongKey");
  assert.equal(await at.fetch({}, { allowUnencrypted: true }), "WrongKey");
});

test("an old backup under the newest or a newer name is rejected", async () => {
  await using at = await stage();
  const old = await at.make({ text: "old|", hour: 1 });
  const recent = await at.make({ text: "new|", hour: 2 });
  const later = recent.name.replace("T02", "T03");
  for (const name of [recent.name, later]) {
    await cp(at.file(objectNames(old.name).manifest), at.file(objectNames(name).manifest));
    await cp(at.file(objectNames(old.name).content), at.file(objectNames(name).content));
    assert.equal(await at.fetch({ backup: name }), "Misplaced");
    assert.equal(await at.fetch({}), "Misplaced");
  }
  assert.equal(await at.fetch({ backup: old.name }), "old", "by its own name it is there");
});

test("a backup of another cluster is rejected under this name or by its source", async () => {
  await using at = await stage();
  const other = await at.make({ text: "other|", hour: 3, cluster: "other" });
  const own = await at.make({ text: "own|", hour: 2 });
  const cluster = { namespace: "shop", name: "db" };
  assert.equal(await at.fetch({ cluster }), "own");
  assert.equal(await at.fetch({ cluster: { ...cluster, name: "other" } }), "other");
  assert.equal(await at.fetch({ cluster: { ...cluster, name: "third" } }), "NotFound");
  assert.equal(await at.fetch({}), "Ambiguous");
  assert.equal(await at.fetch({ backup: other.name, cluster }), "OtherCluster");
  assert.equal(await at.fetch({ backup: other.name }), "other", "a name says the cluster, too");
  const moved = other.name.replace("shop/other", "shop/db");
  await cp(at.file(objectNames(other.name).manifest), at.file(objectNames(moved).manifest));
  await cp(at.file(objectNames(other.name).content), at.file(objectNames(moved).content));
  assert.equal(await at.fetch({ cluster }), "Misplaced");
  assert.equal(await at.fetch({ backup: own.name, cluster }), "own");
});

test("the newest backup is not that of a deleted cluster with the same name", async () => {
  await using at = await stage();
  const cluster = { namespace: "shop", name: "db", uid: "new" };
  const before = await at.make({ text: "before|", hour: 5, uid: "old" });
  assert.equal(await at.fetch({ cluster }), "OtherCluster");
  await at.make({ text: "own|", hour: 2, uid: "new" });
  assert.equal(await at.fetch({ cluster }), "own");
  assert.equal(await at.fetch({ backup: before.name }), "before");
});

test("without the recorded newest backup, an older one is used only by name", async () => {
  await using at = await stage();
  const old = await at.make({ text: "old|", hour: 1 });
  const recent = await at.make({ text: "new|", hour: 2 });
  const recorded = { name: recent.name, digest: digestOf(recent) };
  assert.equal(await at.fetch({ recorded }), "new");
  const again = await at.make({ text: "NEW|", hour: 2 });
  assert.equal(again.name, recent.name);
  assert.equal(await at.fetch({ recorded }), "Changed", "another genuine one of the same name");
  await rm(at.file(objectNames(recent.name).manifest));
  assert.equal(await at.fetch({ recorded }), "Missing");
  assert.equal(await at.fetch({ recorded, backup: old.name }), "old");
  await at.make({ text: "newer|", hour: 3 });
  assert.equal(await at.fetch({ recorded: { name: old.name, digest: digestOf(old) } }), "newer");
});

test("unbounded, deep or malformed manifests are rejected; others are still found", async () => {
  await using at = await stage();
  const old = await at.make({ text: "old|", hour: 1 });
  const recent = await at.make({ text: "new|", hour: 2 });
  const manifest = await at.manifestOf(old);
  const object = objectNames(old.name).manifest;
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const bad = [
    `{"format":2,"spec":"${"x".repeat(LARGEST_MANIFEST)}"}`,
    JSON.stringify(manifest).replace('"format":2', `"format":2,"spec":${deep}`),
    JSON.stringify(manifest).replace('"format":2', '"format":2,"__proto__":{"revision":1}'),
    JSON.stringify({ ...manifest, constructor: 1 }),
    JSON.stringify({ ...manifest, compression: "constructor" }),
    JSON.stringify({ ...manifest, cluster: null }),
    JSON.stringify({ ...manifest, time: {} }),
    JSON.stringify({ ...manifest, revision: "1" }),
    "null",
    "[]",
    "",
  ];
  for (const text of bad) {
    await at.put(object, text);
    assert.equal(await at.fetch({ backup: old.name }), "Corrupt", text.slice(0, 60));
    assert.equal(await at.fetch({ backup: recent.name }), "new");
    assert.equal(await at.fetch({}), "new");
  }
  await at.put(object, JSON.stringify({ ...manifest, format: 1 }));
  assert.equal(await at.fetch({ backup: old.name }), "Unsupported");
});

test("names with path elements are rejected, in requests and in manifests", async () => {
  await using at = await stage();
  const recent = await at.make({ text: "new|", hour: 2 });
  for (const backup of ["../../etc/passwd", "shop/../db", "/etc/passwd", "shop//db"]) {
    assert.equal(await at.fetch({ backup }), "BadName", backup);
  }
  for (const backup of ["__proto__", "constructor", ""]) assert.equal(await at.fetch({ backup }), "NotFound");
  for (const name of ["../../other", "constructor", "__proto__"]) {
    await forge(at, recent, { name });
    assert.equal(await at.fetch({ backup: recent.name }, { isEncrypted: false }), "Misplaced");
    assert.equal(await at.fetch({ backup: recent.name }), "Unencrypted");
  }
  for (const change of [{ time: "2026-11-15T03:00:00.000Z" }, { revision: 3 }]) {
    await forge(at, recent, change);
    assert.equal(await at.fetch({ backup: recent.name }, { isEncrypted: false }), "Misplaced");
  }
  await at.make({ text: "new|", hour: 2 });
  await at.put("__proto__/constructor/20261115T040000Z-r4-ab.json", "{}");
  await at.put("notes.json", "{}");
  assert.equal(await at.fetch({}), "new", "what does not have the name of a backup is passed over");
});

test("retention counts and removes authentic backups only", async () => {
  await using at = await stage();
  const first = await at.make({ text: "1|", hour: 1 });
  const second = await at.make({ text: "2|", hour: 2 });
  const third = await at.make({ text: "3|", hour: 3 });
  // Forged backups with newer times, to push out the genuine ones, and a genuine one under a newer name.
  const forged = [4, 5, 6].map((hour) => draftOf({ text: "", hour }).name);
  for (const name of forged) await forge(at, { name });
  const copy = third.name.replace("T03", "T07");
  await cp(at.file(objectNames(third.name).manifest), at.file(objectNames(copy).manifest));
  const now = Date.now();
  const catalog = { store: at.store, format, key: at.key };
  const counted = await prune(catalog, { proven: third, retention: { count: 2 }, now });
  assert.deepEqual(counted.removed, [first.name]);
  assert.deepEqual(
    counted.kept.map(({ name }) => name),
    [third.name, second.name],
  );
  assert.deepEqual(counted.refused.map(({ name }) => name).toSorted(), [...forged, copy]);
  // By age: a forged time does not change the age of a genuine backup.
  const aged = await prune(catalog, { proven: third, retention: { ageMs: 1 }, now });
  assert.deepEqual(aged.removed, [second.name]);
  assert.equal(await at.fetch({ backup: third.name }), "3");
});
