/** A catalog of an application whose backups are ordered by a number, not by time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { findBackup, listBackups } from "./catalog.ts";
import type { Catalog } from "./catalog.ts";
import { BackupError } from "./errors.ts";
import type { BackupErrorCode } from "./errors.ts";
import { canonical } from "./canonical.ts";
import type { ManifestFormat, StoredManifest } from "./manifest-format.ts";
import { parseMoment } from "./manifest.ts";
import { prune } from "./retention.ts";
import { manifestChecks } from "./shape.ts";
import { StoreError } from "../store/index.ts";
import type { Store } from "../store/index.ts";
import { writeBackup } from "./write-backup.ts";

interface Numbered extends StoredManifest {
  readonly format: 7;
  readonly number: number;
  readonly content: { readonly bytes: number; readonly sha256: string };
}

const { shape, oneOf, optional, text, time, count, part, encryption } = manifestChecks;
const NAME = /^(?<namespace>\w+)\/(?<name>\w+)\/(?<moment>\w+)-(?<number>\d+)$/u;

const format: ManifestFormat<Numbered> = {
  number: 7,
  isManifest: shape({
    format: oneOf(7),
    name: text,
    cluster: shape({ namespace: text, name: text, uid: optional(text) }),
    time,
    number: count,
    content: part,
    stored: part,
    compression: oneOf("none"),
    encryption,
  }),
  contentSuffix: ".copy",
  nameForm: "<namespace>/<name>/<time>-<number>",
  parseName: (full) => {
    const { namespace, name, moment } = NAME.exec(full)?.groups ?? {};
    const at = parseMoment(moment ?? "");
    return namespace === undefined || name === undefined || at === undefined
      ? undefined
      : { cluster: { namespace, name }, time: at };
  },
  hasName: ({ name, number }) => Number(NAME.exec(name)?.groups?.["number"]) === number,
  contentOf: ({ content, name }) => ({ content, identity: canonical({ name }) }),
  newestFirst: (backups) => backups.toSorted((one, other) => other.number - one.number),
  isSameSeries: (one, proven) => one.cluster.uid === proven.cluster.uid,
};

/** A store in memory. */
function storeInMemory(): Store {
  const objects = new Map<string, Buffer>();
  return {
    place: "memory",
    put: async (name, content) => {
      const parts = await Array.fromAsync(content);
      objects.set(name, Buffer.concat(parts));
      return { bytes: Buffer.concat(parts).length };
    },
    get: async (name) => {
      const content = objects.get(name);
      if (content === undefined) throw new StoreError("NotFound", `there is no ${name}`);
      return once(content);
    },
    list: async (prefix) =>
      [...objects]
        .filter(([name]) => name.startsWith(prefix))
        .map(([name, content]) => ({ name, bytes: content.length, modified: new Date("2026-02-01T00:00:00Z") })),
    remove: async (name) => void objects.delete(name),
  };
}

async function* once(content: Buffer): AsyncGenerator<Buffer, void, void> {
  yield content;
}

const key = Buffer.alloc(32, 7);

/** Makes a backup of the hour with the number, and returns its name. */
async function make(catalog: Catalog<Numbered>, hour: number, number: number, more: object = {}): Promise<Numbered> {
  const cluster = { namespace: "shop", name: "db", uid: "u", ...more };
  const at = new Date(Date.UTC(2026, 0, 15, hour));
  const moment = at.toISOString().replaceAll(/[-:]|\.\d{3}/gu, "");
  const name = `${cluster.namespace}/${cluster.name}/${moment}-${number}`;
  return await writeBackup(catalog, once(Buffer.from(`content ${number}`)), {
    name,
    identity: canonical({ name }),
    compression: "none",
    salt: Buffer.alloc(32, hour),
    describe: ({ content, stored }) => ({
      format: 7,
      name,
      cluster,
      time: at.toISOString(),
      number,
      content,
      stored,
      compression: "none",
    }),
  });
}

function failsWith(code: BackupErrorCode) {
  return (error: unknown) => error instanceof BackupError && error.code === code;
}

test("the newest backup is the first in the order of the application", async () => {
  const catalog = { store: storeInMemory(), format, key };
  const high = await make(catalog, 1, 9);
  await make(catalog, 2, 3);
  const wanted = { cluster: { namespace: "shop", name: "db" } };
  assert.deepEqual(await findBackup(catalog, wanted), high);
  const { backups } = await listBackups(catalog, "shop/db/");
  assert.deepEqual(
    backups.map(({ number }) => number),
    [3, 9],
  );
});

test("retention keeps the first in the order of the application, and other series", async () => {
  const catalog = { store: storeInMemory(), format, key };
  const proven = await make(catalog, 2, 3);
  await make(catalog, 1, 9);
  await make(catalog, 3, 1);
  const other = await make(catalog, 4, 5, { uid: "another" });
  const pruned = await prune(catalog, { proven, retention: { count: 1 }, now: Date.parse("2026-02-01T00:00:00Z") });
  assert.deepEqual(
    pruned.kept.map(({ number }) => number),
    [9, 3],
  );
  assert.deepEqual(
    pruned.left.map(({ number }) => number),
    [5, 3, 9],
  );
  assert.equal(pruned.removed.length, 1);
  assert.equal((await findBackup(catalog, { backup: other.name })).number, 5);
});

test("the newest backup of a store with several clusters is ambiguous", async () => {
  const catalog = { store: storeInMemory(), format, key };
  await make(catalog, 1, 1);
  await make(catalog, 2, 2, { name: "other" });
  await assert.rejects(findBackup(catalog, {}), failsWith("Ambiguous"));
  const third = findBackup(catalog, { cluster: { namespace: "shop", name: "third" } });
  await assert.rejects(third, /no backup of shop\/third in memory, but of shop\/db, shop\/other/u);
});

test("a manifest that the application does not match with its name is refused", async () => {
  const catalog = { store: storeInMemory(), format, key };
  const made = await make(catalog, 1, 1);
  const moved = made.name.replace(/-1$/u, "-8");
  for (const ending of [".json", ".copy"]) {
    await catalog.store.put(`${moved}${ending}`, await catalog.store.get(`${made.name}${ending}`));
  }
  await assert.rejects(findBackup(catalog, { backup: moved }), failsWith("Misplaced"));
  await assert.rejects(findBackup(catalog, {}), failsWith("Misplaced"));
  assert.equal((await findBackup(catalog, { backup: made.name })).number, 1);
});

test("a backup whose description fails leaves nothing in the store", async () => {
  const catalog = { store: storeInMemory(), format, key };
  const broken = writeBackup(catalog, once(Buffer.from("content")), {
    name: "shop/db/20260115T010000Z-1",
    identity: "1",
    compression: "none",
    salt: Buffer.alloc(32),
    describe: () => {
      throw new BackupError("Truncated", "it broke off");
    },
  });
  await assert.rejects(broken, failsWith("Truncated"));
  assert.deepEqual(await catalog.store.list(""), []);
});
