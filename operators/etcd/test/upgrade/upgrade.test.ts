/**
 * Operators of older and newer versions, with other CRDs, replace each other while members serve; objects for an older version still
 * work.
 */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { startWorkload } from "../linearizability/workload.ts";
import { IMAGE, LONG_STORY_GROUNDS } from "../stories/ground.ts";
import { openKube } from "../stories/kube.ts";
import type { Kube, KubeObject } from "../stories/kube.ts";
import { Scene } from "../stories/scene.ts";

/** The CRDs of an earlier version of the operator, without later fields. */
const BEFORE = join(import.meta.dirname, "kinds-before.json");
const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

for (const [name, start] of LONG_STORY_GROUNDS) {
  test(`${name}: members serve while operators are killed, rolled back and upgraded`, async (t) => {
    // An exclusive cluster, because CRDs are cluster-wide.
    const ground = await start(t, [], { isBreakable: true });
    const kube = await openKube(ground.kubeconfig);
    await installBefore(kube);
    const path = `/apis/etcd.capstan.dev/v1/namespaces/${ground.namespace}/etcdclusters/e`;
    await writeBefore(kube, path, ground.namespace);

    const scene = await Scene.open(t, ground);
    const born = await scene.settled("what was written for an older operator has three members");
    const uids = await uidsOf(scene);
    const load = startWorkload({ ...(await scene.ways()), clients: 3, keys: 3, timeoutMs: 2_000, paceMs: 60 });
    let report: ReturnType<typeof load.stop> | undefined;
    const stop = (): ReturnType<typeof load.stop> => (report ??= load.stop());
    t.after(stop);
    const served = async (when: string): Promise<void> => {
      load.step(when);
      await scene.until(`clients are served: ${when}`, async () => load.served());
    };

    await served("with an operator");
    await scene.killOperator();
    await served("without an operator");
    await scene.until("the older kinds are served", () => rollBack(kube, path));
    await served("after the roll-back");
    scene.startOperator();
    await noticed(scene, "upgraded");
    await served("after the upgrade");
    await scene.stopOperator();
    await served("after the operator has ended");
    scene.startOperator();
    await noticed(scene, "started again");

    const after = await scene.settled("nothing is left to do");
    assert.equal(after.status?.clusterId, born.status?.clusterId);
    assert.deepEqual(idsOf(after), idsOf(born));
    assert.deepEqual(await uidsOf(scene), uids, "no member was made anew");
    const { verdict } = await stop();
    assert.equal(verdict.ok, true, JSON.stringify(verdict));
  });
}

/** Like the older program at its start: with the operator's field manager, so that unknown fields are removed. */
async function installBefore(kube: Kube): Promise<void> {
  const kinds = JSON.parse(await readFile(BEFORE, "utf8")) as readonly KubeObject[];
  for (const kind of kinds) {
    const path = `${CRDS}/${kind.metadata.name}?fieldManager=etcd-operator&force=true`;
    await kube.call("PATCH", path, kind, "application/apply-patch+yaml");
  }
}

/** An object as a user wrote it for the earlier version. */
async function writeBefore(kube: Kube, path: string, namespace: string): Promise<void> {
  const spec = { size: 3, version: "3.6.16", image: IMAGE };
  const object = { apiVersion: "etcd.capstan.dev/v1", kind: "EtcdCluster", metadata: { name: "e", namespace }, spec };
  const end = performance.now() + 60_000;
  // A kind is served a moment after its creation.
  const write = (): Promise<KubeObject> =>
    kube.apply(path, object).catch(async (error: unknown) => {
      if (performance.now() > end) throw error;
      await delay(250);
      return await write();
    });
  const written = await write();
  assert.equal(hasLaterFields(written), false, JSON.stringify(written["spec"]));
}

/** Replaces the newer CRDs with the older ones, and writes the cluster as they show it, like the older operator. */
async function rollBack(kube: Kube, path: string): Promise<boolean> {
  await installBefore(kube);
  const now = await kube.get(path);
  assert.ok(now);
  if (hasLaterFields(now)) return false;
  await kube.call("PUT", `${path}/status`, now);
  return true;
}

/** Fields that are newer than the CRDs of the file. */
function hasLaterFields({ spec }: KubeObject): boolean {
  return "imagePullSecrets" in (spec as object);
}

/** Waits until the operator has applied another spec: an annotation of the Service, which restarts no member. */
async function noticed(scene: Scene, word: string): Promise<void> {
  await scene.until(`the spec says: ${word}`, () => scene.edit({ clientService: { annotations: { word } } }));
  await scene.until(`the Service says: ${word}`, async () => {
    const service = await scene.kube.get(scene.path("services", `${scene.name}-client`));
    return (service?.metadata["annotations"] as { readonly word?: string } | undefined)?.word === word;
  });
}

async function uidsOf(scene: Scene): Promise<readonly string[]> {
  return (await scene.pods()).map(({ metadata }) => metadata.uid).toSorted();
}

function idsOf({ status }: Awaited<ReturnType<Scene["cluster"]>>): readonly string[] {
  return (status?.members ?? []).map(({ id = "" }) => id).toSorted();
}
