/** Uninstallations on the embedded cluster: what goes, in which order, what stays, and what is left behind. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { CustomResourceDefinition } from "@capstan/kinds/apiextensions.k8s.io/v1";
import { Deployment } from "@capstan/kinds/apps/v1";
import {
  ClusterExtension,
  ClusterServiceVersion,
  findOrphans,
  planRemoval,
  type Removal,
  removeAll,
  Subscription,
} from "@capstan/lifecycle";
import type { Kind, StoredObject } from "@capstan/model";
import { oneChannel, operatorCrd, operatorCsv } from "./content.ts";
import { catalogOf, extend, packageOf, putBundle, putClusterCatalog, untilReason } from "./extensions.ts";
import { startWorld, type World } from "./world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world[Symbol.asyncDispose]());

const kindOf = (name: string): Kind<StoredObject> => {
  const kind = name.charAt(0).toUpperCase() + name.slice(1);
  return { group: "example.com", version: "v1", kind, plural: `${name}s`, scope: "Namespaced" };
};

const crd = (name: string) =>
  world.cluster.get(CustomResourceDefinition, { namespace: "", name: `${name}s.example.com` });

const gone = (what: string, look: () => Promise<unknown>): Promise<unknown> =>
  world.until(`${what} is gone`, look, (seen) => seen === undefined);

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

async function remove(removal: Removal | undefined): Promise<readonly string[]> {
  assert.ok(removal);
  const progress: string[] = [];
  const end = performance.now() + 60_000;
  const report = (line: string): void => void progress.push(line);
  await removeAll(removal, { cluster: world.cluster, pause, isOver: () => performance.now() > end, report });
  return progress;
}

async function install(name: string, namespace: string): Promise<void> {
  await world.namespace(namespace);
  const csv = operatorCsv({ name, version: "1.0.0" });
  await world.catalog(oneChannel(`${name}.v1.0.0`, [csv], [operatorCrd(name)]), name);
  await world.subscribe(namespace, { name, source: name });
  await world.succeeded(namespace, `${name}.v1.0.0`);
}

test("custom resources go before the operator that has to finish them, CRDs last", async () => {
  await install("bike", "bikes");
  const kind = kindOf("bike");
  const key = { namespace: "bikes", name: "one" };
  const made = await world.cluster.create(kind, { metadata: { ...key, finalizers: ["example.com/finish"] } } as never);
  const target = { kind: "Subscription", namespace: "bikes", name: "bike" } as const;
  const kept = await planRemoval(target, { cluster: world.cluster, choice: "keep" });
  const stays = { name: "bikes.example.com", objects: 1, finalized: 1, reason: "CRDs are kept" };
  assert.deepEqual([kept?.customResources, kept?.crds, kept?.keptCrds], [[], [], [stays]]);
  const removal = await planRemoval(target, { cluster: world.cluster, choice: "remove-crds" });
  assert.ok(removal);
  assert.deepEqual([removal.operators, removal.crds], [["bike.v1.0.0"], ["bikes.example.com"]]);

  const early = removeAll(removal, { cluster: world.cluster, pause, isOver: () => true, report: () => undefined });
  await assert.rejects(early, /Bike\.v1\.example\.com bikes\/one is not gone in time: its finalizers example\.com\/f/u);
  assert.equal((await world.csv("bikes", "bike.v1.0.0"))?.status?.phase, "Succeeded");

  const removing = remove(removal);
  const deleted = await world.until(
    "the custom resource is being deleted",
    () => world.cluster.get(kind, key),
    (seen) => seen?.metadata.deletionTimestamp !== undefined,
  );
  assert.ok(deleted && made.metadata.uid === deleted.metadata.uid);
  assert.notEqual(await world.subscription("bikes", "bike"), undefined);
  const metadata = { ...deleted.metadata, finalizers: [] };
  await world.cluster.change(kind, { before: deleted, after: { ...deleted, metadata } });
  assert.deepEqual(await removing, [
    "deleted Bike.v1.example.com bikes/one (1 of 1)",
    "deleted Subscription bikes/bike",
    "deleted ClusterServiceVersion bikes/bike.v1.0.0",
    "deleted CustomResourceDefinition bikes.example.com",
  ]);
  await gone("the CRD", () => crd("bike"));
  await gone("the operator", () => world.csv("bikes", "bike.v1.0.0"));
});

test("a CRD of two operators and its objects stay, and orphans are named", async () => {
  await install("pair", "left");
  await world.namespace("right");
  await world.subscribe("right", { name: "pair", source: "pair" });
  await world.succeeded("right", "pair.v1.0.0");
  await world.cluster.create(kindOf("pair"), { metadata: { namespace: "right", name: "one" } } as never);
  const choice = "remove-crds";
  const left = { kind: "Subscription", namespace: "left", name: "pair" } as const;
  const removal = await planRemoval(left, { cluster: world.cluster, choice });
  assert.deepEqual(removal?.keptCrds, [
    { name: "pairs.example.com", objects: 1, finalized: 0, reason: "right/pair.v1.0.0 owns it, too" },
  ]);
  await remove(removal);
  await gone("the operator", () => world.csv("left", "pair.v1.0.0"));
  const orphans = async () =>
    (await findOrphans(world.cluster)).filter(({ name }) => name.startsWith("pair")).map(({ reason }) => reason);
  assert.deepEqual(await orphans(), []);

  await world.cluster.remove(Subscription, { namespace: "right", name: "pair" });
  assert.deepEqual(await orphans(), ["no Subscription installs it, so it gets no upgrades"]);
  await world.cluster.remove(ClusterServiceVersion, { namespace: "right", name: "pair.v1.0.0" });
  await gone("the operator", () => world.csv("right", "pair.v1.0.0"));
  const [reason = "", ...more] = await orphans();
  assert.match(reason, /^(?:left|right)\/pair\.v1\.0\.0 is gone; 1 objects are stored$/u);
  assert.deepEqual(more, []);
});

test("a ClusterExtension goes, its kept CRDs and objects stay and are taken back", async () => {
  await world.namespace("boat", "none");
  putBundle(world, "boat", "1.0.0", [operatorCsv({ name: "boat", version: "1.0.0" }), operatorCrd("boat")]);
  await putClusterCatalog(world, "boats", {
    catalog: catalogOf(packageOf("boat", [{ version: "1.0.0" }])),
    digest: "a",
  });
  await extend(world, "boat");
  await untilReason(world, "boat", { type: "Installed", reason: "Succeeded" });
  await world.cluster.create(kindOf("boat"), { metadata: { namespace: "boat", name: "one" } } as never);
  const target = { kind: "ClusterExtension", name: "boat" } as const;
  const removal = await planRemoval(target, { cluster: world.cluster, choice: "keep" });
  assert.deepEqual([removal?.operators, removal?.keptCrds[0]?.objects], [["boat.v1.0.0"], 1]);
  await remove(removal);
  const extension = () => world.cluster.get(ClusterExtension, { namespace: "", name: "boat" });
  await gone("the extension", extension);

  await gone("the Deployment", () => world.cluster.get(Deployment, { namespace: "boat", name: "boat" }));
  const orphans = await findOrphans(world.cluster);
  const orphan = orphans.find(({ name }) => name === "boats.example.com");
  assert.equal(orphan?.reason, "the ClusterExtension boat is gone; 1 objects are stored");

  await extend(world, "boat");
  await untilReason(world, "boat", { type: "Installed", reason: "Succeeded" });
  const stored = await world.cluster.get(kindOf("boat"), { namespace: "boat", name: "one" });
  assert.ok(stored);
  const all = await planRemoval(target, { cluster: world.cluster, choice: "remove-crds" });
  const progress = await remove(all);
  assert.deepEqual(progress.slice(0, 2), [
    "deleted Boat.v1.example.com boat/one (1 of 1)",
    "deleted ClusterExtension boat",
  ]);
  await gone("the CRD", () => crd("boat"));
});
