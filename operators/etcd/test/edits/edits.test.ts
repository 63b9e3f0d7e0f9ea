/** A spec that is edited while the operator works on it, with real members: the last spec counts. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { EtcdError } from "../../src/etcd/index.ts";
import { EtcdCluster } from "../../src/kinds/index.ts";
import { Toll } from "../crash/toll.ts";
import { GROUNDS, IMAGE } from "../stories/ground.ts";
import { KubeError, openKube } from "../stories/kube.ts";
import { isSettled, Scene } from "../stories/scene.ts";
import type { ClusterObject } from "../stories/scene.ts";
import { leavesOf, pick, randomFrom, valueFor, withValue } from "../world/values.ts";
import type { Leaf, Schema } from "../world/values.ts";
import { pictureOf } from "./picture.ts";

type Spec = { readonly [field: string]: unknown };

/** `CAPSTAN_STEPS=200` makes many edits, on both clusters; otherwise a few on the embedded one. */
const STEPS = Number(process.env["CAPSTAN_STEPS"] ?? 12);
const SEED = Number(process.env["CAPSTAN_SEED"] ?? 7);
const isFar = STEPS > 50;
const grounds = isFar ? Object.entries(GROUNDS) : [["embedded", GROUNDS.embedded] as const];

/** Fields that other stories test, and fields that these nodes do not support: their volumes do not grow. */
const ELSEWHERE = new Set(["backup", "bootstrap", "auth", "storage"]);

function specLeaves(): readonly Leaf[] {
  const crd = EtcdCluster.toCrd() as unknown as {
    spec: { versions: readonly { schema: { openAPIV3Schema: Schema } }[] };
  };
  const spec = crd.spec.versions[0]?.schema.openAPIV3Schema.properties?.["spec"] ?? {};
  return leavesOf(spec).filter(({ path }) => !ELSEWHERE.has(path[0] ?? ""));
}

/** The versions that these nodes have images of. */
const IMAGES = ["3.5.35", "3.6.16", "3.7.3"];

/** The highest of these minor versions, in a patch that these nodes have: etcd does not downgrade, and other images cannot be pulled. */
function runnable(...versions: readonly (string | undefined)[]): string {
  const minorOf = (version = ""): number => Number(version.split(".")[1] ?? 0);
  const highest = Math.max(...versions.map(minorOf));
  return IMAGES.find((version) => minorOf(version) === highest) ?? "";
}

/** The spec reduced to what these nodes can run: a missing image, too large a request or an unknown label is removed. */
function mended({ spec: last, status }: ClusterObject): Spec {
  const {
    podTemplate: _template,
    resources: _resources,
    tls: _tls,
    imagePullSecrets: _secrets,
    ...kept
  } = last as unknown as Spec;
  const asked = Number(kept["size"]);
  // The smallest size that one change allows, and at least one member.
  const size = asked > 3 ? Math.floor(asked / 2) + 1 : Math.max(1, asked);
  const version = runnable(last.version, status?.version);
  return { ...kept, image: IMAGE, options: {}, paused: false, profile: "small", size, version };
}

/** Replaces the generator's public image with an image of the tests. */
function atHome(value: unknown): unknown {
  return value === "etcd:{version}" ? IMAGE : value;
}

/** Replaces the whole spec; returns whether the API server accepted it. */
async function replaceSpec(scene: Scene, name: string, spec: Spec): Promise<boolean> {
  const path = scene.path("etcdclusters", name, "/apis/etcd.capstan.dev/v1");
  const now = await scene.kube.get(path);
  assert.ok(now);
  try {
    await scene.kube.call("PUT", path, { ...now, spec });
    return true;
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    // The operator wrote its status in between: retry with the current object.
    if (error.status === 409) return await replaceSpec(scene, name, spec);
    if (error.status === 422) return false;
    throw error;
  }
}

async function putSpec(scene: Scene, name: string, spec: Spec): Promise<void> {
  await scene.until(`${name} has its spec`, () => replaceSpec(scene, name, spec));
}

function conditionOf({ status }: ClusterObject, type: string) {
  return status?.conditions?.find((one) => one.type === type);
}

/** Waits until the operator has observed the current spec. */
async function noticed(scene: Scene): Promise<ClusterObject> {
  return await scene.until("the edit is noticed", async () => {
    const now = await scene.cluster();
    return conditionOf(now, "Progressing")?.observedGeneration === now.metadata.generation && now;
  });
}

/** The state of a cluster while its spec is edited. */
interface Walk {
  readonly scene: Scene;
  /** The cluster was hibernated and has not served since. */
  hasSlept: boolean;
}

/** A cluster that is not hibernated accepts writes, whatever else its spec says; a paused one is not resumed. */
async function assertServes(walk: Walk, step: string): Promise<void> {
  const { scene } = walk;
  const now = await noticed(scene);
  walk.hasSlept ||= now.spec.size === 0;
  if (now.spec.size === 0 || (now.spec.paused && conditionOf(now, "Available")?.status !== "True")) return;
  if (walk.hasSlept) walk.hasSlept = !(await wakes(scene, step));
  else await scene.put(`walk/${step}`, "taken");
}

/** A cluster that was hibernated during a bad edit cannot resume with it: the status says so, and the next edit may fix it. */
async function wakes(scene: Scene, step: string): Promise<boolean> {
  const how = await scene.until(`it wakes up, or says why not: ${step}`, async () => {
    const isTold = conditionOf(await scene.cluster(), "Degraded")?.status === "True";
    return (await isTaken(scene, step)) ? "awake" : isTold && "told";
  });
  return how === "awake";
}

async function isTaken(scene: Scene, step: string): Promise<boolean> {
  try {
    await using client = await scene.leader();
    await client.kv.put(`walk/${step}`, "taken");
    return true;
  } catch (error) {
    if (error instanceof EtcdError) return false;
    throw error;
  }
}

/** Many changes at once take long: an update through several versions, more and fewer members. */
const PATIENCE = 900_000;

async function whenSettled(scene: Scene): Promise<ClusterObject | false> {
  const now = await scene.cluster();
  return isSettled(now) && now;
}

/** The cluster ends like a fresh cluster with the same spec. */
async function assertAsFresh(scene: Scene, spec: Spec): Promise<void> {
  await putSpec(scene, scene.name, spec);
  const { status } = await scene.until("the last spec", async () => await whenSettled(scene), PATIENCE);
  const last = { ...spec, version: status?.version };
  await putSpec(scene, scene.name, last);
  await scene.settled("the last spec with the version that runs");
  const path = scene.path("etcdclusters", "fresh", "/apis/etcd.capstan.dev/v1");
  const metadata = { name: "fresh", namespace: scene.ground.namespace };
  await scene.kube.apply(path, { apiVersion: "etcd.capstan.dev/v1", kind: "EtcdCluster", metadata, spec: last });
  await scene.until("the fresh cluster is well", async () => {
    const fresh = (await scene.kube.get(path)) as unknown as ClusterObject;
    return isSettled(fresh);
  });
  assert.deepEqual(await pictureOf(scene, scene.name), await pictureOf(scene, "fresh"));
}

for (const [name, start] of grounds) {
  test(`${name}: ${STEPS} random edits never stop members and converge (seed ${SEED})`, async (t) => {
    const scene = await Scene.open(t, await start(t));
    const random = randomFrom(SEED);
    const leaves = specLeaves();
    await scene.apply({ size: 3, version: "3.5.35", image: IMAGE });
    const born = await scene.settled("three members are well");
    const walk: Walk = { scene, hasSlept: false };
    let taken = 0;
    const began = performance.now();
    for (let step = 0; step < STEPS; step++) {
      const leaf = pick(random, leaves);
      const value = atHome(valueFor(random, leaf));
      const next = withValue((await scene.cluster()).spec as unknown as Spec, leaf.path, value);
      const isTaken = await replaceSpec(scene, scene.name, next);
      if (!isTaken) continue;
      taken++;
      await assertServes(walk, `${step}: ${leaf.path.join(".")} = ${JSON.stringify(value)?.slice(0, 60)}`);
    }
    const seconds = (performance.now() - began) / 1000 / Math.max(1, taken);
    t.diagnostic(`${name} | ${taken} of ${STEPS} edits were taken | ${seconds.toFixed(1)} s each`);
    assert.ok(taken > 0 && taken < STEPS, `${taken} of ${STEPS} edits were taken`);
    await assertAsFresh(scene, mended(await scene.cluster()));
    assert.equal((await scene.cluster()).status?.clusterId, born.status?.clusterId);
  });

  test(`${name}: the last spec counts after edits before every write of an update`, async (t) => {
    const ground = await start(t);
    const kube = await openKube(ground.kubeconfig);
    const edited = new Set<string>();
    let isEditing = false;
    const ownKubeconfig = join(ground.folder, "toll.kubeconfig");
    // One edit before each distinct write: every edit recreates members, and endless edits would never let the update end.
    const before = async (write: string): Promise<void> => {
      if (!isEditing || edited.has(write)) return;
      edited.add(write);
      const spec = { options: { "max-txn-ops": String(128 + edited.size) } };
      await kube.call("PATCH", scene.clusterPath, { spec }, "application/merge-patch+json");
    };
    await using _toll = await Toll.open({ kubeconfig: ground.kubeconfig, ownKubeconfig, before });
    const scene = await Scene.open(t, { ...ground, kubeconfig: ownKubeconfig });
    await scene.apply({ size: 1, version: "3.5.35" });
    await scene.settled("one member is well");
    isEditing = true;
    await scene.edit({ size: 3, version: "3.6.16" });
    await scene.settled("the last edit");
    isEditing = false;
    t.diagnostic(`${name} | edited before: ${[...edited].join(", ")}`);
    for (const write of [/status/u, /persistentvolumeclaims/u, /POST pods/u, /DELETE pods/u])
      assert.ok(
        [...edited].some((one) => write.test(one)),
        `edited before ${[...edited].join(", ")}`,
      );
    const { spec } = await scene.until("the very last edit", async () => {
      const now = await scene.cluster();
      return isSettled(now) && now.spec.options["max-txn-ops"] === String(128 + edited.size) && now;
    });
    assert.deepEqual([spec.size, spec.version], [3, "3.6.16"]);
    await assertAsFresh(scene, spec as unknown as Spec);
  });
}
