/** Mistakes of users: each is reported by a condition and an event, loses no data, and is fixed by a later edit. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { StatefulSet } from "capstan/kinds/apps/v1";
import { Event } from "capstan/kinds/events.k8s.io/v1";
import { Namespace, Pod, PodTemplate, Secret, Service } from "capstan/kinds/v1";
import { EtcdBackup, EtcdCluster } from "../../src/kinds/index.ts";
import { condition, isSettled, startWorld } from "./world.ts";
import type { EtcdWorld } from "./world.ts";

const tls = { mode: "Off" } as const;

/** A mistake, its report, and its fix. */
interface Mistake {
  readonly name: string;
  readonly spoil: (bed: EtcdWorld) => Promise<unknown>;
  readonly reason: string;
  readonly says: RegExp;
  readonly mend: (bed: EtcdWorld) => Promise<unknown>;
}

const lastGood = { size: 3, version: "3.6.16", tls };

async function apply(bed: EtcdWorld, spec: object): Promise<void> {
  await bed.world.apply(EtcdCluster, "e", { spec: { ...lastGood, ...spec } });
}

/** Sets the Pod Security level of the namespace. */
async function enforcePods({ world }: EtcdWorld, level: string): Promise<void> {
  await world.apply(Namespace, "default", { metadata: { labels: { "pod-security.kubernetes.io/enforce": level } } });
}

const MISTAKES: readonly Mistake[] = [
  {
    name: "an image that cannot be pulled",
    spoil: async (bed) => {
      bed.kubelet.refusedImage = /^nowhere/u;
      await apply(bed, { image: "nowhere/etcd:{version}" });
    },
    reason: "MemberStartFailed",
    says: /e-\d: ImagePullBackOff: no such image/u,
    mend: (bed) => apply(bed, { image: "etcd:{version}" }),
  },
  {
    name: "a version whose image does not exist",
    spoil: async (bed) => {
      bed.kubelet.missingImages.add("gcr.io/etcd-development/etcd:v3.6.99");
      await apply(bed, { version: "3.6.99" });
    },
    reason: "MemberStartFailed",
    says: /no such image/u,
    mend: (bed) => apply(bed, { version: "3.6.16" }),
  },
  {
    name: "a flag that etcd does not know",
    spoil: (bed) => apply(bed, { options: { "no-such-flag": "1" } }),
    reason: "MemberStartFailed",
    says: /CrashLoopBackOff/u,
    mend: (bed) => apply(bed, {}),
  },
  {
    name: "pods that a policy of the namespace refuses",
    spoil: async (bed) => {
      await enforcePods(bed, "restricted");
      await apply(bed, { podTemplate: { spec: { hostNetwork: true } } });
    },
    reason: "Refused",
    says: /violates PodSecurity/u,
    // The operator gets no event when the policy changes.
    mend: (bed) => enforcePods(bed, "privileged"),
  },
  {
    name: "a StatefulSet of the same name that belongs to somebody else",
    spoil: async (bed) => {
      const labels = { app: "other" };
      const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "other" }] } };
      await bed.world.apply(StatefulSet, "e", {
        spec: { serviceName: "other", selector: { matchLabels: labels }, template },
      });
      await apply(bed, {});
    },
    reason: "NameTaken",
    says: /StatefulSet e exist/u,
    mend: (bed) => bed.world.delete(StatefulSet, "e"),
  },
  {
    name: "a Service of the same name that belongs to somebody else",
    spoil: async (bed) => {
      await bed.world.apply(Service, "e", { spec: { ports: [{ port: 80 }], selector: { app: "other" } } });
      await apply(bed, {});
    },
    reason: "NameTaken",
    says: /Service e exist/u,
    mend: (bed) => bed.world.delete(Service, "e"),
  },
];

interface Told {
  readonly reason?: string;
  readonly note?: string;
  readonly type?: string;
}

async function events({ world }: EtcdWorld): Promise<readonly Told[]> {
  return (await world.list(Event)) as readonly Told[];
}

async function assertTold(bed: EtcdWorld, { reason, says }: Pick<Mistake, "reason" | "says">): Promise<void> {
  const told = await events(bed);
  const found = told.some((one) => one.type === "Warning" && one.reason === reason && says.test(one.note ?? ""));
  assert.ok(found, `no event ${reason} in ${JSON.stringify(told.map((one) => `${one.reason}: ${one.note}`))}`);
}

for (const mistake of MISTAKES) {
  test(`from the beginning: ${mistake.name}`, async () => {
    await using bed = await startWorld();
    await mistake.spoil(bed);
    const bad = await bed.until((now) => condition(now, "Degraded")?.reason === mistake.reason, mistake.reason);
    assert.match(condition(bad, "Degraded")?.message ?? "", mistake.says);
    await assertTold(bed, mistake);
    await mistake.mend(bed);
    const mended = await bed.until(isSettled, "a cluster that works");
    assert.equal(condition(mended, "Degraded")?.status, "False");
    assert.ok((await events(bed)).some(({ reason }) => reason === "Resolved"));
  });
}

for (const mistake of MISTAKES.slice(0, 3)) {
  test(`in a running cluster: ${mistake.name}; other members serve, no data is lost`, async () => {
    await using bed = await startWorld();
    await apply(bed, {});
    const before = await bed.until(isSettled, "three");
    await mistake.spoil(bed);
    const bad = await bed.until((now) => condition(now, "Degraded")?.reason === mistake.reason, mistake.reason);
    assert.equal(condition(bad, "Available")?.status, "True");
    await assertTold(bed, mistake);
    assert.ok(bed.etcd.processes.size >= 2, "two of three run");
    await mistake.mend(bed);
    const mended = await bed.until(
      (now) => isSettled(now) && condition(now, "Degraded")?.status === "False",
      "a cluster that works",
    );
    assert.equal(mended.status?.clusterId, before.status?.clusterId);
    assert.equal(mended.status?.ready, 3);
  });
}

/** Templates that make invalid pods, and the messages for them. */
const IMPOSSIBLE: readonly (readonly [spec: { readonly [field: string]: unknown }, says: RegExp])[] = [
  [{ containers: "x" }, /must be a list/u],
  [{ containers: [{ name: "sidecar" }] }, /image/u],
  [{ volumes: [{ name: "x", emptyDir: {}, hostPath: { path: "/" } }] }, /may not specify more than 1 volume type/u],
];

for (const [template, says] of IMPOSSIBLE) {
  test(`no member is stopped for an invalid pod: ${JSON.stringify(template)}`, async () => {
    await using bed = await startWorld();
    await apply(bed, {});
    await bed.until(isSettled, "three");
    const before = [...bed.etcd.processes.values()].map(({ address }) => address);
    await apply(bed, { podTemplate: { spec: template } });
    const bad = await bed.until((now) => condition(now, "Degraded")?.reason === "Refused", "a refusal");
    assert.match(condition(bad, "Degraded")?.message ?? "", says);
    await bed.pass(300);
    assert.deepEqual(
      [...bed.etcd.processes.values()].map(({ address }) => address),
      before,
      "the members that were there",
    );
    await apply(bed, {});
    const mended = await bed.until(isSettled, "a cluster that works");
    assert.equal(condition(mended, "Degraded")?.status, "False");
    assert.deepEqual(await templates(bed), ["e-form"]);
  });

  test(`a lost member is recreated with the old template: ${JSON.stringify(template)}`, async () => {
    await using bed = await startWorld();
    await apply(bed, {});
    const before = await bed.until(isSettled, "three");
    await apply(bed, { podTemplate: { metadata: { labels: { team: "a" } } } });
    await bed.until(isSettled, "three in another form");
    await apply(bed, { podTemplate: { spec: template } });
    await bed.until((now) => condition(now, "Degraded")?.reason === "Refused", "a refusal");
    for (const lost of [["e-1"], ["e-0", "e-2"], ["e-0", "e-1", "e-2"]]) {
      for (const member of lost) await bed.world.delete(Pod, member);
      await bed.pass(2);
      const back = await bed.until(
        ({ status }) => bed.etcd.processes.size === 3 && status?.ready === 3,
        `${lost.join(", ")} again`,
      );
      assert.equal(back.status?.clusterId, before.status?.clusterId);
      assert.equal(condition(back, "Degraded")?.reason, "Refused");
    }
    const pods = await bed.world.list(Pod);
    assert.deepEqual(new Set(pods.map(({ metadata }) => metadata.labels?.["team"])), new Set(["a"]));
    await bed.pass(900);
    assert.deepEqual(
      (await bed.world.list(Pod)).map(({ metadata }) => metadata.uid),
      pods.map(({ metadata }) => metadata.uid),
    );
    await apply(bed, {});
    const mended = await bed.until(isSettled, "a cluster that works");
    assert.equal(mended.status?.formRefused, undefined);
    assert.ok((await events(bed)).some(({ reason }) => reason === "Resolved"));
    assert.deepEqual(await templates(bed), ["e-form"]);
  });
}

async function templates({ world }: EtcdWorld): Promise<readonly string[]> {
  return (await world.list(PodTemplate)).map(({ metadata }) => metadata.name);
}

test("missing certificate Secrets are named, and no member starts without them", async () => {
  await using bed = await startWorld();
  const secrets = { server: "s", peer: "p", client: "c" };
  await apply(bed, { tls: { mode: "Provided", secrets } });
  const waiting = await bed.until((now) => condition(now, "TLSReady")?.status === "False", "a refusal");
  assert.match(condition(waiting, "TLSReady")?.message ?? "", /Secret/u);
  assert.equal((await bed.world.list(Pod)).length, 0);
  assert.equal(await bed.world.get(Secret, "s"), undefined);
  await apply(bed, { tls: { mode: "Managed" } });
  await bed.until(isSettled, "a cluster with certificates of its own");
});

test("another authority is rejected while members run, accepted in hibernation", async () => {
  await using bed = await startWorld();
  const own = { size: 3, version: "3.6.16", tls: { mode: "Managed" } } as const;
  await bed.world.apply(EtcdCluster, "e", { spec: own });
  const before = await bed.until(isSettled, "a cluster with certificates of its own");
  const given = { mode: "Provided", secrets: { server: "s", peer: "p", client: "c" } } as const;
  await bed.world.apply(EtcdCluster, "e", { spec: { ...own, tls: given } });
  await bed.until((now) => condition(now, "Degraded")?.reason === "TrustRefused", "a refusal");
  await assertTold(bed, { reason: "TrustRefused", says: /put spec.tls.mode back, or let the cluster sleep/u });
  await bed.pass(60);
  assert.equal(bed.etcd.processes.size, 3);
  await bed.world.apply(EtcdCluster, "e", { spec: own });
  const after = await bed.until(isSettled, "the members, as they were");
  assert.equal(after.status?.clusterId, before.status?.clusterId);
  await bed.world.apply(EtcdCluster, "e", { spec: { ...own, size: 0, tls: given } });
  await bed.until((now) => isSettled(now) && bed.etcd.processes.size === 0, "sleep");
  await bed.world.apply(EtcdCluster, "e", { spec: { ...own, tls: given } });
  const waiting = await bed.until((now) => condition(now, "TLSReady")?.status === "False", "the Secrets to be missed");
  assert.notEqual(condition(waiting, "Degraded")?.reason, "TrustRefused");
});

/** Errors of a store, which become the reason of a condition. */
const REFUSALS = ["the credentials are wrong", "no way to the store", "no room is left"] as const;

for (const refusal of REFUSALS) {
  test(`a store that fails with: ${refusal}`, async () => {
    await using bed = await startWorld();
    await apply(bed, { backup: { store: { volume: { claim: "b" } }, schedule: "* * * * *" } });
    await bed.until(isSettled, "three");
    bed.kubelet.store.refusal = refusal;
    const bad = await bed.until((now) => condition(now, "BackupReady")?.message === refusal, "a failed backup");
    assert.equal(condition(bad, "Available")?.status, "True");
    await assertTold(bed, { reason: "BackupFailed", says: new RegExp(refusal, "u") });
    bed.kubelet.store.refusal = undefined;
    await bed.until((now) => condition(now, "BackupReady")?.status === "True", "a backup");
  });
}

test("an invalid schedule, and a missing cluster", async () => {
  await using bed = await startWorld();
  const store = { volume: { claim: "b" } };
  await bed.world.apply(EtcdBackup, "late", { spec: { cluster: "e", store, schedule: "61 * * * *" } });
  await bed.world.apply(EtcdBackup, "early", { spec: { cluster: "e", store } });
  await bed.pass(5);
  await assertTold(bed, { reason: "InvalidSchedule", says: /is not a schedule: five fields as in cron/u });
  await assertTold(bed, { reason: "ClusterMissing", says: /there is no EtcdCluster e/u });
  await apply(bed, {});
  await bed.world.apply(EtcdBackup, "late", { spec: { cluster: "e", store, schedule: "* * * * *" } });
  await bed.until(isSettled, "three");
  await bed.pass(180);
  for (const name of ["early", "late"]) {
    const { status } = (await bed.world.get(EtcdBackup, name)) ?? {};
    assert.equal(status?.conditions?.find(({ type }) => type === "Ready")?.status, "True", name);
  }
});

test("a name that is invalid for Services is reported, and nothing is created", async () => {
  for (const name of ["e.f", "1e", "x".repeat(57)]) {
    await using bed = await startWorld();
    await bed.world.apply(EtcdCluster, name, { spec: { size: 3, version: "3.6.16", tls: { mode: "Off" } } });
    await bed.pass(20);
    const degraded = condition(await bed.cluster(name), "Degraded");
    assert.deepEqual([degraded?.status, degraded?.reason], ["True", "NameInvalid"], name);
    await assertTold(bed, { reason: "NameInvalid", says: /at most 56 characters/u });
    const services = (await bed.world.list(Service)).filter(({ metadata }) => metadata.name !== "kubernetes");
    assert.deepEqual([services, await bed.world.list(Pod)], [[], []]);
  }
});

test("a cluster with the longest name can have backups, too", async () => {
  await using bed = await startWorld();
  const name = "x".repeat(56);
  const backup = { store: { volume: { claim: "backups" } }, schedule: "0 3 1 1 *" };
  await bed.world.apply(EtcdCluster, name, { spec: { size: 1, version: "3.6.16", tls: { mode: "Off" }, backup } });
  for (let second = 0; second < 600 && !isSettled(await bed.cluster(name)); second++) await bed.pass(1);
  assert.ok(isSettled(await bed.cluster(name)), JSON.stringify((await bed.cluster(name)).status?.conditions));
  assert.ok(await bed.world.get(EtcdBackup, name));
});
