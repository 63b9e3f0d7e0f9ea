/** Backups of real servers: stored, tried by restoring, and restored into new clusters; compared row by row. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { PersistentVolumeClaim, Secret } from "capstan/kinds/v1";
import type { Sql } from "../../src/sql.ts";
import { backupKind, Scene } from "./scene.ts";

test("a backup is made, tried and restored; another key restores nothing", async (t) => {
  const scene = await Scene.open(t, { hasBackups: true });
  const { client } = scene.cluster;
  const { namespace } = scene;
  const own = { fieldManager: "story", force: true };
  await client.apply(
    PersistentVolumeClaim,
    {
      metadata: { name: "backups", namespace },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    },
    own,
  );
  for (const [name, byte] of [
    ["right", "11"],
    ["wrong", "e2"],
  ] as const) {
    const data = { key: Buffer.from(byte.repeat(32), "hex").toString("base64") };
    await client.apply(Secret, { metadata: { name, namespace }, type: "Opaque", data }, own);
  }
  const access = { store: { volume: { claim: "backups" } }, encryption: { name: "right", key: "key" } };

  await scene.apply({ size: 2, version: "10.11.19" });
  const { status } = await scene.settled("two members replicate");
  await using primary = await scene.member(status?.primary ?? "");
  await fill(primary);
  const before = await rowsOf(primary);
  assert.ok(backupKind !== undefined);
  const kind = backupKind;
  await client.apply(
    kind,
    {
      metadata: { name: "first", namespace },
      spec: { cluster: scene.name, ...access, compression: "zstd", verify: "restore", log: { every: "1s" } },
    } as never,
    own,
  );
  const backup = await scene.until("the backup is made and tried", async () => {
    const { status: seen } = await client.get(kind, { namespace, name: "first" });
    if (seen?.phase === "Failed") throw new Error(seen.message);
    return seen?.phase === "Succeeded" && seen;
  });
  assert.equal(backup.last?.verified, "restore");

  // What comes after the backup is in the log.
  await primary.run("INSERT INTO shop.orders (text) VALUES ('later 1')");
  const [{ place = "" } = {}] = await primary.query("SELECT @@global.gtid_binlog_pos AS place");
  const atPlace = await rowsOf(primary);
  await primary.run("INSERT INTO shop.orders (text) VALUES ('later 2')", "DROP TABLE shop.customers");
  const end = (await primary.query("SELECT @@global.gtid_binlog_pos AS place"))[0]?.["place"] ?? "";
  await scene.until("the log is stored", async () => {
    const { status: seen } = await client.get(kind, { namespace, name: "first" });
    return seen?.log?.position === end;
  });

  const sourceCluster = { name: scene.name };
  const from = { backup: { ...access, sourceCluster } };
  await scene.apply({ size: 2, version: "10.11.19", bootstrap: { from } }, "copy");
  const copy = await scene.settled("the copy replicates", "copy");
  for (const { name } of copy.status?.members ?? []) {
    await using member = await scene.member(name);
    assert.deepEqual(await rowsOf(member), before);
  }
  const until = { position: place };
  const wrong = { ...from.backup, until, encryption: { name: "wrong", key: "key" } };
  await scene.apply({ size: 1, version: "10.11.19", bootstrap: { from: { backup: wrong } } }, "point");
  await scene.until(
    "the wrong key is told",
    async () => {
      const { status: seen } = await scene.object("point");
      if (seen?.conditions?.some(({ type, message }) => type === "Degraded" && message.includes("WrongKey")))
        return true;
      throw new Error(JSON.stringify([seen?.conditions, (await scene.pod("point-0")).status], undefined, 1));
    },
    60_000,
  );
  await scene.apply(
    { size: 1, version: "10.11.19", bootstrap: { from: { backup: { ...from.backup, until } } } },
    "point",
  );
  const point = await scene.settled("the point in time is restored", "point");
  await using restored = await scene.member(point.status?.primary ?? "");
  assert.deepEqual(await rowsOf(restored), atPlace);
});

async function fill(sql: Sql): Promise<void> {
  await sql.run(
    "CREATE DATABASE shop",
    "CREATE TABLE shop.orders (id INT PRIMARY KEY AUTO_INCREMENT, text VARCHAR(200), bytes BLOB)",
    "CREATE TABLE shop.customers (id INT PRIMARY KEY, name VARCHAR(80))",
    "INSERT INTO shop.orders (text, bytes) SELECT CONCAT('line\\n', seq, ' \\'quoted\\''), UNHEX(SHA2(seq, 256)) FROM shop.seq_1_to_500",
    "INSERT INTO shop.customers SELECT seq, CONCAT('name ', seq) FROM shop.seq_1_to_100",
    "CREATE USER clerk@'%' IDENTIFIED BY 'secret'",
  );
}

/** Every table with all its rows. */
async function rowsOf(sql: Sql): Promise<readonly unknown[]> {
  const tables = await sql.query(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'shop' ORDER BY table_name",
  );
  const all: unknown[] = [];
  for (const { name = "" } of tables) all.push([name, await sql.query(`SELECT * FROM shop.\`${name}\` ORDER BY id`)]);
  return all;
}
