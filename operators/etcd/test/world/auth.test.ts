/** Users and roles of a spec on scripted members: an error is reported and blocks nothing else, and no user is locked out. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Event } from "capstan/kinds/events.k8s.io/v1";
import { Secret } from "capstan/kinds/v1";
import { createAuthority, validFor } from "capstan/pki";
import { EtcdBackup, EtcdCluster, EtcdRestore } from "../../src/kinds/index.ts";
import { condition, isSettled, startWorld } from "./world.ts";
import type { ClusterObject, EtcdWorld } from "./world.ts";

const base = { size: 1, version: "3.6.16" };

async function apply(bed: EtcdWorld, spec: object): Promise<void> {
  await bed.world.apply(EtcdCluster, "e", { spec: { ...base, ...spec } });
}

async function grown(bed: EtcdWorld, spec: object): Promise<ClusterObject> {
  await apply(bed, spec);
  return await bed.until(isSettled, "members");
}

async function setPassword(bed: EtcdWorld, password: string): Promise<void> {
  await bed.world.apply(Secret, "app-password", { data: { password: Buffer.from(password).toString("base64") } });
}

async function warnings(bed: EtcdWorld): Promise<readonly string[]> {
  const events = await bed.world.list(Event);
  return events.filter(({ type }) => type === "Warning").map(({ reason }) => reason ?? "");
}

const app = { name: "app", passwordSecret: "app-password", roles: ["reader"] };
const roles = [{ name: "reader" }];

test("rejected users are reported and retried; all other work continues", async () => {
  await using bed = await startWorld();
  // Longer than etcd accepts.
  await setPassword(bed, "x".repeat(100));
  const maintenance = { defragment: { schedule: "*/4 * * * *" } };
  await apply(bed, { maintenance, auth: { enabled: true, roles, users: [app, { name: "other" }] } });
  const told = await bed.until((now) => condition(now, "Degraded")?.reason === "Refused", "a refusal");
  assert.match(condition(told, "Degraded")?.message ?? "", /etcd refuses: .*password length/u);
  assert.ok((await warnings(bed)).includes("Refused"));
  const before = bed.etcd.auth.asked;
  await bed.pass(300);
  assert.ok(bed.etcd.auth.asked - before <= 30, `asked ${bed.etcd.auth.asked - before} times in five minutes`);
  assert.ok(bed.etcd.log.some((line) => line.startsWith("defragment")));
  assert.deepEqual([bed.etcd.auth.isOn, bed.etcd.auth.users.has("other")], [false, true]);
  await setPassword(bed, "short");
  await bed.until(() => bed.etcd.auth.isOn, "authentication");
  await bed.until((now) => condition(now, "Degraded")?.status === "False", "all is well");
});

test("a user without its password is not created, as it could not be set later", async () => {
  await using bed = await startWorld();
  await apply(bed, { auth: { enabled: true, roles, users: [app] } });
  const told = await bed.until((now) => condition(now, "Degraded")?.reason === "Refused", "a refusal");
  assert.match(condition(told, "Degraded")?.message ?? "", /user app waits .*Secret app-password/u);
  assert.equal(bed.etcd.auth.users.has("app"), false);
  await setPassword(bed, "one");
  await bed.until(() => bed.etcd.auth.isOn, "authentication");
  assert.equal(bed.etcd.auth.users.get("app")?.password, "one");
});

test("a user created with a certificate only is recreated when it gets a password", async () => {
  await using bed = await startWorld();
  await grown(bed, { auth: { enabled: true, roles, users: [{ name: "app", roles: ["reader"] }] } });
  await bed.until(() => bed.etcd.auth.isOn, "authentication");
  await setPassword(bed, "one");
  await apply(bed, { auth: { enabled: true, roles, users: [app] } });
  await bed.until(() => bed.etcd.auth.users.get("app")?.password === "one", "a password");
  await bed.until(isSettled, "all is done");
  assert.deepEqual([...(bed.etcd.auth.users.get("app")?.roles ?? [])], ["reader"]);
});

test("removed auth deletes its users after a restart; users made by hand stay", async () => {
  await using bed = await startWorld();
  await grown(bed, { auth: { enabled: true, roles, users: [{ name: "a", roles: ["reader"] }] } });
  await bed.until(() => bed.etcd.auth.isOn, "authentication");
  await bed.world.crash();
  await apply(bed, {});
  bed.world.restart();
  await bed.until(() => !bed.etcd.auth.isOn, "no authentication");
  await bed.until(isSettled, "all is done");
  assert.deepEqual([[...bed.etcd.auth.users.keys()], [...bed.etcd.auth.roles]], [["root"], ["root"]]);
  const { auth } = bed.etcd;
  auth.users.set("mine", { roles: new Set(), password: "x" });
  auth.isOn = true;
  await bed.world.crash();
  bed.world.restart();
  await bed.pass(90);
  assert.deepEqual([auth.isOn, auth.users.has("mine")], [true, true]);
});

for (const auth of [{ enabled: true }, { enabled: false }])
  test(`a cluster that sleeps has nobody to ask for users, ${auth.enabled ? "wanted" : "wanted once"}: all is well`, async () => {
    await using bed = await startWorld();
    await grown(bed, { auth: { enabled: true } });
    await bed.until(() => bed.etcd.auth.isOn, "authentication");
    await apply(bed, { auth });
    await bed.until((now) => now.status?.auth?.inUse === auth.enabled, "what is wanted");
    await apply(bed, { auth, size: 0 });
    await bed.until((now) => isSettled(now) && bed.etcd.processes.size === 0, "sleep");
    await bed.pass(60);
    const asleep = await bed.cluster();
    assert.equal(condition(asleep, "Degraded")?.status, "False", condition(asleep, "Degraded")?.message);
    assert.equal(asleep.status?.auth?.cluster, asleep.status?.clusterId);
  });

/** User-provided Secrets, the client's with this common name. */
async function giveSecrets(bed: EtcdWorld, commonName: string): Promise<object> {
  const now = new Date();
  const authority = createAuthority({ commonName: "given", now, days: 3_650 });
  const give = async (name: string, user: string): Promise<void> => {
    const dnsNames = ["*.e.default.svc"];
    const usages = ["server", "client"] as const;
    const leaf = authority.issue({ commonName: user, usages, dnsNames, ...validFor({ now, days: 3_000 }) });
    const texts = { "tls.crt": leaf.certificate, "tls.key": leaf.privateKey, "ca.crt": authority.certificate };
    const data = Object.fromEntries(Object.entries(texts).map(([k, v]) => [k, Buffer.from(v).toString("base64")]));
    await bed.world.apply(Secret, name, { data });
  };
  await give("s", "s");
  await give("p", "p");
  await give("c", commonName);
  return { mode: "Provided", secrets: { server: "s", peer: "p", client: "c" } };
}

test("auth is enabled only with a certificate that makes the operator root", async () => {
  await using bed = await startWorld();
  const tls = await giveSecrets(bed, "me");
  await apply(bed, { tls, auth: { enabled: true } });
  const told = await bed.until((now) => condition(now, "Degraded")?.reason === "Refused", "a refusal");
  assert.match(condition(told, "Degraded")?.message ?? "", /Secret c is that of "me".*common name root/u);
  assert.deepEqual([condition(told, "TLSReady")?.status, condition(told, "TLSReady")?.reason], ["False", "WrongUser"]);
  await bed.pass(60);
  assert.equal(bed.etcd.auth.isOn, false);
  await giveSecrets(bed, "root");
  await bed.until(() => bed.etcd.auth.isOn, "authentication");
  await bed.until(isSettled, "all is done");
});

test("a spec user with the role root suffices, and keeps it while the operator uses it", async () => {
  await using bed = await startWorld();
  const tls = await giveSecrets(bed, "me");
  await apply(bed, { tls, auth: { enabled: true, users: [{ name: "me", roles: ["root"] }] } });
  await bed.until(() => bed.etcd.auth.isOn, "authentication");
  await apply(bed, { tls, auth: { enabled: true } });
  const told = await bed.until((now) => condition(now, "Degraded")?.reason === "Refused", "a refusal");
  assert.match(condition(told, "Degraded")?.message ?? "", /common name root/u);
  assert.deepEqual([...(bed.etcd.auth.users.get("me")?.roles ?? [])], ["root"]);
});

test("auth is disabled before its users are deleted: the operator may be one", async () => {
  await using bed = await startWorld();
  const tls = await giveSecrets(bed, "me");
  await apply(bed, { tls, auth: { enabled: true, users: [{ name: "me", roles: ["root"] }] } });
  await bed.until(() => bed.etcd.auth.isOn, "authentication");
  await apply(bed, { tls });
  const well = await bed.until((now) => isSettled(now) && now.status?.auth?.inUse === false, "all is done");
  assert.deepEqual([bed.etcd.auth.isOn, [...bed.etcd.auth.users.keys()]], [false, ["root"]]);
  assert.equal(condition(well, "Degraded")?.status, "False");
});

for (const name of ["root", "me"])
  test(`the operator's user ${name} gets a password only while auth is off`, async () => {
    await using bed = await startWorld();
    const tls = await giveSecrets(bed, name);
    const own = { name, roles: ["root"] };
    await grown(bed, { tls, auth: { enabled: true, users: [own] } });
    await bed.until(() => bed.etcd.auth.isOn, "authentication");
    await setPassword(bed, "one");
    const users = [{ ...own, passwordSecret: "app-password" }];
    await apply(bed, { tls, auth: { enabled: true, users } });
    const told = await bed.until((now) => condition(now, "Degraded")?.reason === "Refused", "a refusal");
    assert.match(condition(told, "Degraded")?.message ?? "", /made without a password.*auth\.enabled be false/u);
    await bed.pass(60);
    assert.equal(bed.etcd.auth.isOn, true);
    await apply(bed, { tls, auth: { enabled: false, users } });
    await bed.until(() => bed.etcd.auth.users.get(name)?.password === "one", "a password");
    await apply(bed, { tls, auth: { enabled: true, users } });
    await bed.until((now) => isSettled(now) && bed.etcd.auth.isOn, "authentication");
  });

/** A cluster that is restored from a backup with authentication on. */
async function begin(bed: EtcdWorld, spec: object): Promise<void> {
  const size = { bytes: 1, sha256: "0".repeat(64) };
  const cluster = { namespace: "default", name: "x", clusterId: "c9" };
  const part = { format: 2, time: "2026-01-01T00:00:00.000Z", member: "x-0", version: "3.6.16", revision: 7 } as const;
  const name = "default/x/b";
  bed.kubelet.store.backups.set(name, { ...part, name, cluster, snapshot: size, stored: size, compression: "none" });
  bed.etcd.auth.roles.add("root");
  bed.etcd.auth.users.set("root", { roles: new Set(["root"]), password: undefined });
  bed.etcd.auth.users.set("theirs", { roles: new Set(), password: "x" });
  bed.etcd.auth.isOn = true;
  await apply(bed, { ...spec, bootstrap: { store: { volume: { claim: "backups" } } } });
}

test("users from a backup are deleted once if the spec has none; later ones stay", async () => {
  await using bed = await startWorld();
  await begin(bed, {});
  await bed.until(({ status }) => status?.auth?.inUse === false, "no users");
  const { auth } = bed.etcd;
  assert.deepEqual([auth.isOn, [...auth.users.keys()]], [false, ["root"]]);
  auth.users.set("mine", { roles: new Set(), password: "x" });
  auth.isOn = true;
  await bed.pass(90);
  assert.deepEqual([auth.isOn, auth.users.has("mine")], [true, true]);
});

test("restored clusters without a user record keep users made by hand", async () => {
  await using bed = await startWorld();
  await grown(bed, {});
  await bed.world.crash();
  const { auth } = bed.etcd;
  auth.roles.add("root");
  for (const name of ["root", "mine"]) auth.users.set(name, { roles: new Set([name]), password: "x" });
  auth.isOn = true;
  // The status as an earlier operator left it.
  await bed.world.applyStatus(EtcdCluster, "e", { bornFrom: "default/x/b" });
  bed.world.restart();
  await bed.pass(90);
  assert.deepEqual([auth.isOn, auth.users.has("mine")], [true, true]);
});

test("users of a restore in place get the current passwords", async () => {
  await using bed = await startWorld();
  await setPassword(bed, "now");
  await grown(bed, { auth: { enabled: true, roles, users: [app] } });
  await bed.until(() => bed.etcd.auth.isOn, "authentication");
  const store = { volume: { claim: "backups" } };
  await bed.world.apply(EtcdBackup, "b", { spec: { cluster: "e", store } });
  await bed.until(() => bed.kubelet.store.backups.size > 0, "a backup");
  const before = (await bed.cluster()).status?.clusterId;
  await bed.world.apply(EtcdRestore, "r", { spec: { cluster: "e", overwrite: "e", store } });
  await bed.until(({ status }) => status?.recovery?.phase === "Seeding", "a recovery");
  bed.etcd.auth.users.set("app", { roles: new Set(["reader"]), password: "then" });
  await bed.until((now) => isSettled(now) && now.status?.clusterId !== before, "the backup");
  await bed.until(() => bed.etcd.auth.users.get("app")?.password === "now", "a password");
});

test("data with auth but without TLS: the status reports the error and the fix", async () => {
  await using bed = await startWorld();
  await begin(bed, { tls: { mode: "Off" } });
  const told = await bed.until((now) => condition(now, "Degraded")?.reason === "LockedOut", "a refusal");
  assert.match(condition(told, "Degraded")?.message ?? "", /tls\.mode Managed/u);
  assert.ok((await warnings(bed)).includes("LockedOut"));
  const pods = [...bed.etcd.processes.keys()];
  await bed.pass(180);
  assert.deepEqual([...bed.etcd.processes.keys()], pods);
  bed.etcd.auth.isOn = false;
  await bed.until((now) => isSettled(now) && condition(now, "Degraded")?.status === "False", "all is well");
});

for (const name of ["me", "theirs"])
  test(`data with auth and a certificate of ${name}: a denied step reports the fix`, async () => {
    await using bed = await startWorld();
    const tls = await giveSecrets(bed, name);
    await begin(bed, { tls });
    const told = await bed.until((now) => condition(now, "Degraded")?.reason === "Refused", "a refusal");
    assert.match(condition(told, "Degraded")?.message ?? "", /etcd refuses: .*certificate.*root/u);
    assert.equal(condition(told, "Available")?.status, "True");
    await giveSecrets(bed, "root");
    await bed.until((now) => isSettled(now) && condition(now, "Degraded")?.status === "False", "all is well");
    assert.equal(bed.etcd.auth.isOn, false);
  });

test("an unreadable Secret with certificates is reported, and reconciles continue", async () => {
  await using bed = await startWorld();
  const tls = await giveSecrets(bed, "me");
  await grown(bed, { size: 3, tls, recovery: { replaceAfter: "10s" } });
  const garbage = Buffer.from("-----BEGIN CERTIFICATE-----\nMAAA\n-----END CERTIFICATE-----\n").toString("base64");
  await bed.world.apply(Secret, "c", { data: { "ca.crt": garbage } });
  await bed.until((now) => condition(now, "TLSReady")?.reason === "SecretIncomplete", "a complaint");
  await bed.loseVolumes(["e-1"]);
  await bed.until(({ status }) => status?.members?.some(({ name }) => name === "e-3") === true, "a successor");
});
