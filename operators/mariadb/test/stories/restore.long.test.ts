/** A restore in place with real servers: the former data comes back if it is taken back, the backup's data if it is not. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { PersistentVolumeClaim, Secret } from "capstan/kinds/v1";
import type { Sql } from "../../src/sql.ts";
import { backupKind, restoreKind, Scene } from "./scene.ts";

test("a restore in place replaces the data, and is taken back while nothing serves", async (t) => {
  const scene = await Scene.open(t, { hasBackups: true });
  const { client } = scene.cluster;
  const { namespace, name: cluster } = scene;
  const own = { fieldManager: "story", force: true };
  assert.ok(backupKind !== undefined && restoreKind !== undefined);
  const kinds = { backup: backupKind, restore: restoreKind };
  await client.apply(
    PersistentVolumeClaim,
    {
      metadata: { name: "backups", namespace },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    },
    own,
  );
  const data = { key: Buffer.from("11".repeat(32), "hex").toString("base64") };
  await client.apply(Secret, { metadata: { name: "right", namespace }, type: "Opaque", data }, own);
  const access = { store: { volume: { claim: "backups" } }, encryption: { name: "right", key: "key" } };
  const restore = async (name: string, spec: object): Promise<void> => {
    const object = { metadata: { name, namespace }, spec: { cluster, ...access, ...spec } };
    await client.apply(kinds.restore, object as never, own);
  };

  await scene.apply({ size: 2, version: "10.11.19" });
  await scene.settled("two members replicate");
  await change(
    scene,
    "CREATE DATABASE shop",
    "CREATE TABLE shop.orders (id INT PRIMARY KEY)",
    "INSERT INTO shop.orders VALUES (1)",
  );
  const object = { metadata: { name: "b", namespace }, spec: { cluster, ...access, log: { every: "1s" } } };
  await client.apply(kinds.backup, object as never, own);
  await scene.until("the backup is made", async () => {
    const { status } = await client.get(kinds.backup, { namespace, name: "b" });
    if (status?.phase === "Failed") throw new Error(status.message);
    return status?.phase === "Succeeded";
  });
  await delay(1_500);
  await change(scene, "INSERT INTO shop.orders VALUES (2)");
  // The binary log has whole seconds.
  await delay(2_000);
  const time = new Date().toISOString();
  await delay(2_000);
  await change(scene, "INSERT INTO shop.orders VALUES (3)");
  const end = await scene.until("the log is stored up to that", async () => {
    const { status } = await client.get(kinds.backup, { namespace, name: "b" });
    return Date.parse(status?.log?.until ?? "") > Date.parse(time) + 2_000 && status?.log?.position;
  });
  assert.deepEqual(await rowsOf(scene), ["1", "2", "3"]);

  await restore("unknown", { backup: `${namespace}/${cluster}/full/20200101T000000Z-00` });
  await scene.until("an unknown backup is refused, and no member stops", async () => {
    const { status } = await client.get(kinds.restore, { namespace, name: "unknown" });
    return status?.phase === "Failed" && status.message?.startsWith("NotFound");
  });
  assert.deepEqual(await rowsOf(scene), ["1", "2", "3"]);

  await restore("regretted", {});
  await scene.until("the restore begins", async () => (await scene.object()).status?.restore !== undefined);
  await client.delete(kinds.restore, { namespace, name: "regretted" });
  await scene.until("the former data is back or the new one is served", async () => {
    const { status } = await scene.object();
    return status?.restore === undefined;
  });
  const { status: after } = await scene.settled("two members replicate again");
  assert.equal(after?.lastRestore, undefined, "it was taken back before the restored data was served");
  assert.deepEqual(await rowsOf(scene), ["1", "2", "3"]);

  await restore("point", { until: { time } });
  await scene.until("the restore is done", async () => {
    const { status } = await client.get(kinds.restore, { namespace, name: "point" });
    if (status?.phase === "Failed") throw new Error(status.message);
    return status?.phase === "Succeeded";
  });
  const { status } = await scene.settled("two members replicate the restored data");
  assert.deepEqual(await rowsOf(scene), ["1", "2"], `up to ${time}, of a log up to ${end}`);
  assert.equal(status?.members?.length, 2);
});

async function change(scene: Scene, ...statements: readonly string[]): Promise<void> {
  await using primary = await scene.member(await scene.primary());
  await primary.run(...statements);
}

/** What each member has; it must be the same. */
async function rowsOf(scene: Scene): Promise<readonly string[]> {
  const { status } = await scene.object();
  const lists: string[][] = [];
  for (const { name } of status?.members ?? []) lists.push(await idsOf(await scene.member(name)));
  const [first = []] = lists;
  for (const list of lists) assert.deepEqual(list, first);
  return first;
}

async function idsOf(member: Sql): Promise<string[]> {
  await using sql = member;
  const rows = await sql.query("SELECT id FROM shop.orders ORDER BY id");
  return rows.map(({ id = "" }) => id);
}
