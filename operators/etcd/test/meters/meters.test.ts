/** Tests of the meters: members by version, backups and bytes by cluster, in virtual time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { controller, operator } from "capstan";
import { testOperator } from "capstan/testing";
import { EtcdBackup, EtcdCluster } from "../../src/kinds/index.ts";
import { backupBytes, backups, members } from "../../src/meters.ts";

/** The kinds without their controllers: what is billed follows from the objects. */
const app = operator({
  name: "meters",
  controllers: [controller(EtcdCluster, {}, async () => {}), controller(EtcdBackup, {}, async () => {})],
  meters: [members, backups, backupBytes],
});

const record = (name: string, bytes: number) => ({
  name,
  bytes,
  time: "2026-03-01T00:00:00Z",
  version: "3.6.16",
  revision: 7,
  hash: "0",
});

test("members count by version from one change to the next", async () => {
  await using world = await testOperator(app);
  await world.apply(EtcdCluster, "db", { spec: { size: 3, version: "3.6.15" } });
  await world.advance("5m");
  await world.apply(EtcdCluster, "db", { spec: { size: 5, version: "3.6.15" } });
  await world.advance("5m");
  await world.apply(EtcdCluster, "db", { spec: { size: 5, version: "3.6.16" } });
  await world.advance("1m");
  assert.equal(world.usage(members, { dimensions: { version: "3.6.15" } }), String(8 * 300));
  assert.equal(world.usage(members, { dimensions: { name: "db", version: "3.6.16" } }), String(5 * 60));
});

test("backups count while they are kept, with their bytes", async () => {
  await using world = await testOperator(app);
  await world.apply(EtcdBackup, "nightly", {
    spec: { cluster: "db", store: { s3: { bucket: "backups", credentials: "keys" } } },
  });
  const status = { phase: "Scheduled", message: "", failures: 0 } as const;
  await world.advance("5m");
  assert.equal(world.usage(backups), "0");
  await world.applyStatus(EtcdBackup, "nightly", { ...status, backups: [record("a", 1000), record("b", 500)] });
  await world.advance("5m");
  await world.applyStatus(EtcdBackup, "nightly", { ...status, backups: [record("b", 500)] });
  await world.advance("5m");
  assert.equal(world.usage(backups, { dimensions: { name: "db" } }), String(3 * 300));
  assert.equal(world.usage(backupBytes), String(2000 * 300));
});
