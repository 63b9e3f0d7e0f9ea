import assert from "node:assert/strict";
import { test } from "node:test";
import { Event } from "capstan/kinds/events.k8s.io/v1";
import { Pod } from "capstan/kinds/v1";
import { EtcdCluster } from "../../src/kinds/index.ts";
import { condition, isSettled, startWorld } from "./world.ts";
import type { ClusterObject, EtcdWorld } from "./world.ts";

const lastGood = { version: "3.6.16", tls: { mode: "Off" }, update: { deadline: "30s" } } as const;
/** Pods with this label run and never become ready. */
const ILL = { podTemplate: { metadata: { labels: { ill: "yes" } } } };

/** Templates that the API server accepts and with which no member becomes ready. */
const BAD: readonly (readonly [name: string, spec: object, says: RegExp])[] = [
  ["members talk, and their pods are never ready", ILL, /its pod is not ready/u],
  ["a flag that etcd does not know", { options: { "no-such-flag": "1" } }, /CrashLoopBackOff/u],
  ["an image that cannot be pulled", { image: "nowhere/etcd:{version}" }, /no such image/u],
];

async function startBed(size: number): Promise<EtcdWorld> {
  const bed = await startWorld();
  bed.kubelet.refusedImage = /^nowhere/u;
  bed.kubelet.neverReady = ({ metadata }) => metadata.labels?.["ill"] === "yes";
  await apply(bed, { size });
  await bed.until(isSettled, "a cluster");
  return bed;
}

async function apply({ world }: EtcdWorld, spec: object): Promise<void> {
  await world.apply(EtcdCluster, "e", { spec: { ...lastGood, size: 3, ...spec } });
}

function hasFailed(now: ClusterObject): boolean {
  return condition(now, "Degraded")?.reason === "TemplateFailed";
}

/** No pod has the failed template. */
async function assertGoodPods({ world }: EtcdWorld, size: number): Promise<void> {
  const pods = await world.list(Pod);
  assert.equal(pods.length, size);
  for (const { metadata, spec } of pods) {
    assert.equal(metadata.labels?.["ill"], undefined);
    const [etcd] = spec?.containers ?? [];
    assert.doesNotMatch(`${etcd?.image} ${etcd?.args?.join(" ")}`, /nowhere|no-such-flag/u);
  }
}

for (const size of [1, 3]) {
  for (const [name, spec, says] of BAD) {
    test(`size ${size}: a failed template is rolled back after the deadline: ${name}`, async () => {
      await using bed = await startBed(size);
      const before = await bed.cluster();
      await apply(bed, { size, ...spec });
      let least = size;
      const bad = await bed.until((now) => {
        least = Math.min(least, bed.etcd.processes.size);
        return hasFailed(now) && isSettled(now);
      }, "the form is put back, and all are well");
      assert.match(condition(bad, "Degraded")?.message ?? "", says);
      assert.match(bad.status?.formFailed?.why ?? "", /until that part of the spec changes/u);
      assert.ok(least > size / 2, `a quorum was there all the time, ${least} ran`);
      assert.equal(bad.status?.clusterId, before.status?.clusterId);
      await assertGoodPods(bed, size);
      const told = await bed.world.list(Event);
      assert.ok(told.some(({ reason, type }) => reason === "TemplateFailed" && type === "Warning"));

      await apply(bed, { size, options: { "snapshot-count": "5000" } });
      const mended = await bed.until((now) => isSettled(now) && !hasFailed(now), "another form");
      assert.equal(mended.status?.formFailed, undefined);
      assert.equal(condition(mended, "Degraded")?.status, "False");
      const flags = (await bed.world.list(Pod)).map((pod) => pod.spec?.containers[0]?.args?.join(" ") ?? "");
      assert.ok(flags.every((line) => line.includes("--snapshot-count=5000")));
    });
  }
}

test("with a failed template, all other work continues with the last good one", async () => {
  await using bed = await startBed(3);
  await apply(bed, ILL);
  await bed.until((now) => hasFailed(now) && isSettled(now), "the form is put back");
  await apply(bed, { ...ILL, size: 5 });
  await bed.until((now) => isSettled(now) && now.status?.ready === 5, "five");
  await bed.loseVolumes(["e-0"]);
  await bed.pass(5);
  await bed.until((now) => isSettled(now) && !now.status?.members?.some((one) => one.name === "e-0"), "another member");
  await apply(bed, { ...ILL, size: 5, version: "3.7.3" });
  await bed.until((now) => isSettled(now) && now.status?.version === "3.7.3", "the update");
  await apply(bed, { ...ILL, size: 0, version: "3.7.3" });
  await bed.until((now) => isSettled(now) && bed.etcd.processes.size === 0, "sleep");
  await apply(bed, { ...ILL, size: 3, version: "3.7.3" });
  const awake = await bed.until((now) => isSettled(now) && now.status?.ready === 3, "three");
  assert.ok(hasFailed(awake));
  await assertGoodPods(bed, 3);
});

test("a failed template is not tried again by itself", async () => {
  await using bed = await startBed(3);
  await apply(bed, ILL);
  await bed.until((now) => hasFailed(now) && isSettled(now), "the form is put back");
  const uids = (await bed.world.list(Pod)).map(({ metadata }) => metadata.uid);
  await bed.pass(400);
  const still = (await bed.world.list(Pod)).map(({ metadata }) => metadata.uid);
  assert.deepEqual(still, uids);
});

test("a cluster that resumes with a failing template resumes with the last good one", async () => {
  await using bed = await startBed(3);
  await apply(bed, { size: 0 });
  await bed.until((now) => isSettled(now) && bed.etcd.processes.size === 0, "sleep");
  await apply(bed, { options: { "no-such-flag": "1" } });
  await bed.until((now) => hasFailed(now) && isSettled(now), "awake");
  await assertGoodPods(bed, 3);
});

test("a failing template without a previous one stays with the first member", async () => {
  await using bed = await startBed(3);
  await apply(bed, { ...ILL, update: { deadline: "30s", rollBack: false } });
  await bed.until(({ status }) => status?.ready === 2, "one is not ready");
  await bed.pass(200);
  const now = await bed.cluster();
  assert.equal(now.status?.formFailed, undefined);
  assert.equal(now.status?.ready, 2);
  assert.equal(bed.etcd.processes.size, 3);
});

test("an unreachable member with a new template is recreated when the spec is reverted", async () => {
  await using bed = await startWorld();
  const specOf = (mesh: string) => ({ size: 3, version: "3.6.16", podTemplate: { metadata: { labels: { mesh } } } });
  await bed.world.apply(EtcdCluster, "e", { spec: specOf("no") });
  await bed.until(isSettled, "three");
  const recordedState = new Set([...bed.etcd.processes.values()].map(({ address }) => address));
  const fresh = () => [...bed.etcd.processes.values()].find(({ address }) => !recordedState.has(address))?.address;
  // The next pod is out of the operator's reach.
  await bed.world.apply(EtcdCluster, "e", { spec: specOf("yes") });
  await bed.until(() => {
    const address = fresh();
    if (address !== undefined) bed.etcd.cut.add(address);
    return address !== undefined;
  }, "one in the new form");
  await bed.pass(600);
  assert.equal(bed.etcd.processes.size, 3, "nobody else is made anew");
  await bed.world.apply(EtcdCluster, "e", { spec: specOf("no") });
  await bed.until(isSettled, "three in the old form");
});
