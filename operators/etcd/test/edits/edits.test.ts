/** A spec that is edited while the operator works on it, with real members: whatever it was, the last one counts. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
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

/** `CAPSTAN_STEPS=200` walks far, on both clusters; else a few steps on the embedded one. */
const STEPS = Number(process.env["CAPSTAN_STEPS"] ?? 12);
const SEED = Number(process.env["CAPSTAN_SEED"] ?? 7);
const isFar = STEPS > 50;
const grounds = isFar ? Object.entries(GROUNDS) : [["embedded", GROUNDS.embedded] as const];

/** What other stories are about, and what these nodes cannot do: their volumes do not grow. */
const ELSEWHERE = new Set(["backup", "bootstrap", "auth", "storage"]);

function specLeaves(): readonly Leaf[] {
  const crd = EtcdCluster.toCrd() as unknown as {
    spec: { versions: readonly { schema: { openAPIV3Schema: Schema } }[] };
  };
  const spec = crd.spec.versions[0]?.schema.openAPIV3Schema.properties?.["spec"] ?? {};
  return leavesOf(spec).filter(({ path }) => !ELSEWHERE.has(path[0] ?? ""));
}

/** Everything that these nodes can run: what they have no image, no room and no label for is taken back. */
function mended(spec: Spec): Spec {
  const { podTemplate: _template, resources: _resources, tls: _tls, imagePullSecrets: _secrets, ...kept } = spec;
  const asked = Number(kept["size"]);
  // As few as may be left at once, and somebody.
  const size = asked > 3 ? Math.floor(asked / 2) + 1 : Math.max(1, asked);
  return { ...kept, image: IMAGE, options: {}, paused: false, profile: "small", size };
}

/** An image of the tests where the generator has one of the world's. */
function atHome(value: unknown): unknown {
  return value === "etcd:{version}" ? IMAGE : value;
}

/** Replaces the whole spec; answers whether the API server took it. */
async function replaceSpec(scene: Scene, name: string, spec: Spec): Promise<boolean> {
  const path = scene.path("etcdclusters", name, "/apis/etcd.capstan.dev/v1");
  const now = await scene.kube.get(path);
  assert.ok(now);
  try {
    await scene.kube.call("PUT", path, { ...now, spec });
    return true;
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    // The operator wrote its status in between: once more with what is there now.
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

/** The operator has looked at the spec as it is now. */
async function noticed(scene: Scene): Promise<ClusterObject> {
  return await scene.until("the edit is noticed", async () => {
    const now = await scene.cluster();
    return conditionOf(now, "Progressing")?.observedGeneration === now.metadata.generation && now;
  });
}

/** A cluster that is not to sleep takes writes, whatever else its spec says; one that is paused is not woken. */
async function assertServes(scene: Scene, step: string): Promise<void> {
  const now = await noticed(scene);
  if (now.spec.size === 0 || (now.spec.paused && conditionOf(now, "Available")?.status !== "True")) return;
  await scene.put(`walk/${step}`, "taken");
}

/** Ends as a cluster would that never had another spec. */
async function assertAsFresh(scene: Scene, spec: Spec): Promise<void> {
  await putSpec(scene, scene.name, spec);
  const { status } = await scene.settled("the last spec");
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
  test(`${name}: ${STEPS} random edits, good and bad, never stop real members, and lead where a fresh cluster stands (seed ${SEED})`, async (t) => {
    const scene = await Scene.open(t, await start(t));
    const random = randomFrom(SEED);
    const leaves = specLeaves();
    let spec: Spec = { size: 3, version: "3.5.35", image: IMAGE };
    await scene.apply(spec as never);
    const born = await scene.settled("three members are well");
    let taken = 0;
    for (let step = 0; step < STEPS; step++) {
      const leaf = pick(random, leaves);
      const value = atHome(valueFor(random, leaf));
      const next = withValue((await scene.cluster()).spec as unknown as Spec, leaf.path, value);
      const isTaken = await replaceSpec(scene, scene.name, next);
      if (!isTaken) continue;
      taken++;
      await assertServes(scene, `${step}: ${leaf.path.join(".")} = ${JSON.stringify(value)?.slice(0, 60)}`);
    }
    t.diagnostic(`${name} | ${taken} of ${STEPS} edits were taken`);
    assert.ok(taken > 0 && taken < STEPS, `${taken} of ${STEPS} edits were taken`);
    spec = mended((await scene.cluster()).spec as unknown as Spec);
    await assertAsFresh(scene, spec);
    assert.equal((await scene.cluster()).status?.clusterId, born.status?.clusterId);
  });

  test(`${name}: an edit before every write of an update with growth, and the last spec counts`, async (t) => {
    const ground = await start(t);
    const kube = await openKube(ground.kubeconfig);
    const edited = new Set<string>();
    let isEditing = false;
    const ownKubeconfig = join(ground.folder, "toll.kubeconfig");
    // Once before each: every edit has members made anew, and would never let it come to an end.
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
