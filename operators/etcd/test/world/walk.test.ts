import assert from "node:assert/strict";
import { test } from "node:test";
import { PodDisruptionBudget } from "capstan/kinds/policy/v1";
import { StorageClass } from "capstan/kinds/storage.k8s.io/v1";
import { Pod, Secret, Service } from "capstan/kinds/v1";
import { EtcdCluster } from "../../src/kinds/index.ts";
import { leavesOf, pick, randomFrom, valueFor, withValue } from "./values.ts";
import type { Schema } from "./values.ts";
import { condition, isSettled, startWorld } from "./world.ts";
import type { EtcdWorld } from "./world.ts";

type Spec = { readonly [name: string]: unknown };

/** Fields that other stories cover: the source of data, and backups. */
const ELSEWHERE = new Set(["backup", "bootstrap", "auth"]);

function specLeaves() {
  const crd = EtcdCluster.toCrd() as unknown as {
    spec: { versions: readonly { schema: { openAPIV3Schema: Schema } }[] };
  };
  const spec = crd.spec.versions[0]?.schema.openAPIV3Schema.properties?.["spec"] ?? {};
  return leavesOf(spec).filter(({ path }) => !ELSEWHERE.has(path[0] ?? ""));
}

/** The parts of a cluster without what differs between any two: names, ids, times. */
async function picture(bed: EtcdWorld): Promise<unknown> {
  const pods = await bed.world.list(Pod);
  const service = await bed.world.get(Service, "e-client");
  const [budget] = await bed.world.list(PodDisruptionBudget);
  const { status } = await bed.cluster();
  return {
    prints: pods
      .map(({ metadata }) => metadata.annotations?.["etcd.capstan.dev/print"])
      .map((print) => print === pods[0]?.metadata.annotations?.["etcd.capstan.dev/print"]),
    labels: pods.map(({ metadata }) => Object.keys(metadata.labels ?? {}).toSorted()),
    images: pods.map(({ spec }) => spec?.containers[0]?.image),
    resources: pods.map(({ spec }) => spec?.containers[0]?.resources),
    selectors: pods.map(({ spec }) => spec?.nodeSelector),
    type: service?.spec?.type,
    annotations: service?.metadata.annotations,
    budget: budget?.spec?.minAvailable,
    secrets: (await bed.world.list(Secret)).map(({ metadata }) => metadata.name).toSorted(),
    version: status?.version,
    advice: status?.advice,
    roles: status?.members?.map(({ role }) => role === "Leader").toSorted(),
    conditions: status?.conditions?.map(({ type, status: holds, reason }) => [type, holds, reason]),
  };
}

async function settle(bed: EtcdWorld, spec: Spec): Promise<void> {
  await bed.world.apply(EtcdCluster, "e", { spec: spec as never });
  await bed.until(isSettled, `the end of the walk, ${JSON.stringify(spec)}`);
}

/** A run must not end with a spec that never worked: its bad values are removed. */
function mended(spec: Spec): Spec {
  const image = String(spec["image"]).startsWith("etcd:") ? {} : { image: "etcd:{version}" };
  const options = JSON.stringify(spec["options"] ?? {}).includes("no-such-flag") ? { options: {} } : {};
  return { ...spec, ...image, ...options, paused: false, size: Math.max(1, Number(spec["size"])) };
}

/** A storage class with volume expansion: without it an old cluster never matches a fresh one. */
async function startRoomyWorld(): Promise<EtcdWorld> {
  const bed = await startWorld();
  await bed.world.apply(StorageClass, "disks", { provisioner: "example.com/disks", allowVolumeExpansion: true });
  return bed;
}

const SEED = Number(process.env["CAPSTAN_SEED"] ?? 7);
const STEPS = Number(process.env["CAPSTAN_STEPS"] ?? 200);

test(`${STEPS} random edits never end a quorum, and converge (seed ${SEED})`, async () => {
  const random = randomFrom(SEED);
  const leaves = specLeaves();
  await using bed = await startRoomyWorld();
  bed.kubelet.refusedImage = /^nowhere/u;
  let spec: Spec = { size: 3, version: "3.5.35", image: "etcd:{version}", storage: { className: "disks" } };
  await settle(bed, spec);
  const rest: Rest = { isAllowed: false };
  let accepted = 0;
  for (let step = 0; step < STEPS; step++) {
    const leaf = pick(random, leaves);
    const next = withValue(spec, leaf.path, valueFor(random, leaf));
    const isTaken = await bed.world.apply(EtcdCluster, "e", { spec: next as never }).then(
      () => true,
      () => false,
    );
    if (isTaken) spec = next;
    accepted += Number(isTaken);
    await bed.pass(1 + Math.floor(random() * 8));
    assertServes(bed, { spec, rest, when: `step ${step}: ${leaf.path.join(".")}` });
  }
  assert.ok(accepted > STEPS / 4 && accepted < STEPS, `${accepted} of ${STEPS} edits were accepted`);
  spec = mended((await bed.cluster()).spec as unknown as Spec);
  await settle(bed, spec);
  await using fresh = await startRoomyWorld();
  await settle(fresh, { ...spec, version: (await bed.cluster()).status?.version });
  await bed.world.apply(EtcdCluster, "e", {
    spec: { ...spec, version: (await bed.cluster()).status?.version } as never,
  });
  await bed.until(isSettled, "the version that runs");
  assert.deepEqual(await picture(bed), await picture(fresh));
});

/** Whether the cluster may be without quorum: the spec hibernated it, and it has not served since. */
interface Rest {
  isAllowed: boolean;
}

/** There is one cluster, and it serves; of all edits only hibernation may end that. */
function assertServes(bed: EtcdWorld, { spec, rest, when }: { spec: Spec; rest: Rest; when: string }): void {
  if (spec["size"] === 0) rest.isAllowed = true;
  assert.equal(bed.etcd.clusters.size, 1, `${when}: one cluster`);
  const [cluster] = bed.etcd.clusters.values();
  assert.ok(cluster);
  const serves = bed.etcd.hasQuorum(cluster);
  assert.ok(serves || rest.isAllowed, `${when}: quorum`);
  if (serves && spec["size"] !== 0) rest.isAllowed = false;
}

test("a spec that no member can start with is reported, and fixed by an edit", async () => {
  await using bed = await startWorld();
  await settle(bed, { size: 3, version: "3.6.16" });
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 3, version: "3.6.16", options: { "no-such-flag": "1" } } });
  const told = await bed.until((now) => condition(now, "Degraded")?.reason === "MemberStartFailed", "trouble");
  assert.match(condition(told, "Degraded")?.message ?? "", /CrashLoopBackOff/u);
  await bed.pass(120);
  assert.equal(bed.etcd.processes.size, 2, "the others are left alone");
  await bed.until((now) => condition(now, "Degraded")?.reason === "TemplateFailed", "it is put back");
  await bed.until(({ status }) => status?.ready === 3, "all three as they were");
  await settle(bed, { size: 3, version: "3.6.16", options: {} });
});
