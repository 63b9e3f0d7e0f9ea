/** Users, databases and passwords in a whole cluster in memory. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Secret } from "@capstan/kinds/v1";
import { MemoryWorld } from "../../src/testing/memory/world.ts";
import { readTexts } from "../../src/tls/secret.ts";
import { openWorld } from "./open-world.ts";
import { store } from "./store.ts";

const shop = { name: "shop", grants: [{ privileges: ["SELECT"], database: "shop" }] };

test("declared users and databases exist on all members, and removed users are dropped", async () => {
  await using world = await MemoryWorld.open(store, openWorld);
  const spec = { size: 2, version: "2.0", users: [shop, { name: "old" }], databases: [{ name: "shop" }] };
  await world.apply(spec);
  await world.until((now) => reasonOf(now) === "AsExpected", "the accounts exist");
  const { password = "", host } = readTexts(await world.world.get(Secret, "c-user-shop"));
  assert.deepEqual([password === "", host], [false, "c.default.svc"]);
  for (const { volume } of world.servers.servers.values()) {
    assert.deepEqual([...volume.accounts.users.keys()], ["shop", "old"]);
    assert.deepEqual(volume.accounts.users.get("shop")?.passwords, [password]);
    assert.deepEqual([...volume.accounts.databases.keys()], ["shop"]);
  }
  await world.apply({ ...spec, users: [shop], databases: [] });
  await world.until(({ status }) => status?.accounts?.users?.length === 1, "the user is dropped");
  await world.pass(5);
  for (const { volume } of world.servers.servers.values()) {
    assert.deepEqual([...volume.accounts.users.keys()], ["shop"]);
    assert.deepEqual([...volume.accounts.databases.keys()], ["shop"], "databases are retained by default");
  }
  assert.equal(await world.world.get(Secret, "c-user-old"), undefined);
});

test("a password is rotated: at each moment the server accepts what the Secret has", async () => {
  await using world = await MemoryWorld.open(store, openWorld);
  const spec = { size: 3, version: "2.0", users: [shop], accounts: { overlap: "20s" } };
  await world.apply(spec);
  await world.settle("the cluster is created");
  await world.until((now) => reasonOf(now) === "AsExpected", "the accounts exist");
  const before = readTexts(await world.world.get(Secret, "c-user-shop"));
  await world.apply({ ...spec, users: [{ ...shop, rotation: "1" }], accounts: { overlap: "20s", rotation: "1" } });
  const seen = new Set<string>();
  for (let second = 0; second < 60; second++) {
    await world.pass(1);
    const { password = "" } = readTexts(await world.world.get(Secret, "c-user-shop"));
    const { operator = "", replication = "" } = readTexts(await world.world.get(Secret, "c-accounts"));
    seen.add(password);
    for (const { member, volume, isReceiving, acceptsWrites } of world.servers.servers.values()) {
      assert.ok(volume.accounts.users.get("shop")?.passwords.includes(password), `${member} refuses the Secret's`);
      assert.ok(volume.accounts.operator.includes(operator), `${member} refuses the operator`);
      assert.ok(volume.accounts.replication.includes(replication), `${member} refuses replicas`);
      assert.ok(isReceiving || acceptsWrites, `${member} does not replicate`);
    }
  }
  const after = await world.settle("the rotation is over");
  assert.equal(reasonOf(after), "AsExpected");
  assert.equal(seen.size, 2);
  for (const { volume } of world.servers.servers.values()) {
    assert.ok(!volume.accounts.users.get("shop")?.passwords.includes(before["password"] ?? ""));
    assert.deepEqual([volume.accounts.operator.length, volume.accounts.replication.length], [1, 1]);
  }
  assert.equal(after.status?.epoch, 1, "no member took over");
});

test("a missing given password is named, and used when it comes", async () => {
  await using world = await MemoryWorld.open(store, openWorld);
  await world.apply({ size: 1, version: "2.0", users: [{ ...shop, password: { name: "given" } }] });
  const refused = await world.until((now) => reasonOf(now) === "Refused", "the condition");
  const condition = refused.status?.conditions?.find(({ type }) => type === "AccountsReady");
  assert.match(condition?.message ?? "", /create the Secret given with the key password/u);
  await world.world.apply(Secret, "given", { data: { password: Buffer.from("mine").toString("base64") } });
  await world.until((now) => reasonOf(now) === "AsExpected", "the password is used");
  const [server] = world.servers.servers.values();
  assert.deepEqual(server?.volume.accounts.users.get("shop")?.passwords, ["mine"]);
});

test("names of the server are refused, and lost passwords are not replaced", async () => {
  await using world = await MemoryWorld.open(store, openWorld);
  await assert.rejects(world.apply({ size: 1, version: "2.0", users: [{ name: "root" }] }), /belong to the server/u);
  await world.apply({ size: 1, version: "2.0" });
  await world.settle("the cluster is created");
  await world.world.delete(Secret, "c-accounts");
  const lost = await world.until(
    ({ status }) =>
      status?.conditions?.some(({ type, reason }) => type === "Degraded" && reason === "Missing") === true,
    "the condition",
  );
  assert.match(lost.status?.conditions?.find(({ type }) => type === "Degraded")?.message ?? "", /c-accounts: restore/u);
  assert.equal(await world.world.get(Secret, "c-accounts"), undefined);
});

function reasonOf({ status, metadata }: Awaited<ReturnType<MemoryWorld["object"]>>): string | undefined {
  const found = status?.conditions?.find(({ type }) => type === "AccountsReady");
  return found?.observedGeneration === metadata.generation ? found?.reason : undefined;
}
