/** Rollbacks of Subscriptions on the embedded cluster: by hand, refused, and after a missed deadline. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { CustomResourceDefinition } from "@capstan/kinds/apiextensions.k8s.io/v1";
import { Deployment } from "@capstan/kinds/apps/v1";
import { rollBackSubscription, Subscription } from "@capstan/lifecycle";
import type { Kind, StoredObject } from "@capstan/model";
import { oneChannel, operatorCrd, operatorCsv } from "./content.ts";
import { startWorld, type World } from "./world.ts";

let world: World;
let ahead = 0;
before(async () => {
  world = await startWorld({ ahead: () => ahead });
});
after(() => world[Symbol.asyncDispose]());

const schema = (...fields: readonly string[]) => {
  const properties = Object.fromEntries(fields.map((field) => [field, { type: "string" }]));
  return { type: "object", properties: { spec: { type: "object", properties } } };
};

const kindOf = (name: string): Kind<StoredObject> => {
  const kind = name.charAt(0).toUpperCase() + name.slice(1);
  return { group: "example.com", version: "v1", kind, plural: `${name}s`, scope: "Namespaced" };
};

const fields = async (name: string): Promise<readonly string[]> => {
  const crd = await world.cluster.get(CustomResourceDefinition, { namespace: "", name: `${name}s.example.com` });
  const [version] = crd?.spec.versions ?? [];
  const spec = version?.schema?.openAPIV3Schema?.properties?.["spec"] as { readonly properties?: object } | undefined;
  return Object.keys(spec?.properties ?? {});
};

const image = async (name: string): Promise<string | undefined> => {
  const found = await world.cluster.get(Deployment, { namespace: name, name });
  return found?.spec?.template.spec?.containers[0]?.image;
};

const annotate = (name: string, annotations: { readonly [key: string]: string }): Promise<unknown> =>
  world.cluster.apply(Subscription, { metadata: { name, namespace: name, annotations } } as never, "test");

const rolledBack = (name: string, status: string): Promise<Subscription | undefined> =>
  world.until(
    `${name} says RolledBack=${status}`,
    () => world.subscription(name, name),
    (seen) =>
      seen?.status?.conditions?.some((each) => each.type === "RolledBack" && each.status === status) === true &&
      (status === "False" || seen.metadata.annotations?.["lifecycle.capstan.dev/roll-back-to"] === undefined),
  );

async function publish(name: string, versions: 1 | 2, second: object = {}): Promise<void> {
  const first = operatorCsv({ name, version: "1.0.0" });
  const next = operatorCsv({ name, version: "2.0.0", replaces: `${name}.v1.0.0`, spec: second });
  const head = `${name}.v${versions}.0.0`;
  const crd = operatorCrd(name, versions === 1 ? schema("a") : schema("a", "b"));
  await world.catalog(oneChannel(head, versions === 1 ? [first] : [first, next], [crd]), name);
}

async function installFirst(name: string): Promise<void> {
  await world.namespace(name);
  await publish(name, 1);
  await world.subscribe(name, { name, source: name });
  await world.succeeded(name, `${name}.v1.0.0`);
}

test("a rollback by hand brings version and CRD back, unless a field would be lost", async () => {
  await installFirst("hand");
  const key = { namespace: "hand", name: "hand" };
  const early = await rollBackSubscription(key, world.cluster);
  assert.match(early.type === "refused" ? early.reasons.join() : "", /replaced no other version/u);
  await publish("hand", 2);
  await world.succeeded("hand", "hand.v2.0.0");
  await world.until(
    "the old version is gone",
    () => world.csv("hand", "hand.v1.0.0"),
    (seen) => seen === undefined,
  );
  const one = { namespace: "hand", name: "one" };
  await world.cluster.create(kindOf("hand"), { metadata: one, spec: { b: "new" } } as never);
  assert.deepEqual(await rollBackSubscription(key, world.cluster), {
    type: "refused",
    reasons: ["Hand hand/one would lose spec.b"],
  });
  assert.deepEqual(await fields("hand"), ["a", "b"]);

  await world.cluster.remove(kindOf("hand"), one);
  const started = { type: "started", from: "hand.v2.0.0", to: "hand.v1.0.0" };
  assert.deepEqual(await rollBackSubscription(key, world.cluster), started);
  const seen = await rolledBack("hand", "True");
  assert.equal(seen?.status?.installedCSV, "hand.v1.0.0");
  assert.equal((await world.csv("hand", "hand.v1.0.0"))?.status?.phase, "Succeeded");
  assert.equal(await world.csv("hand", "hand.v2.0.0"), undefined);
  assert.deepEqual([await image("hand"), await fields("hand")], ["hand:1.0.0", ["a"]]);

  // Once it is allowed again, the version that was left is installed again.
  await annotate("hand", { "lifecycle.capstan.dev/excluded-versions": "" });
  await world.succeeded("hand", "hand.v2.0.0");
});

test("a version that does not succeed in time is rolled back by itself", async () => {
  await installFirst("auto");
  await annotate("auto", { "lifecycle.capstan.dev/roll-back-after": "soon" });
  await publish("auto", 2, { minKubeVersion: "99.0.0" });
  const broken = await rolledBack("auto", "False");
  const [condition] = broken?.status?.conditions?.filter(({ type }) => type === "RolledBack") ?? [];
  assert.equal(condition?.reason, "InvalidDeadline");
  assert.equal((await world.csv("auto", "auto.v1.0.0"))?.status?.phase, "Replacing");

  await annotate("auto", { "lifecycle.capstan.dev/roll-back-after": "10m" });
  ahead += 11 * 60_000;
  await annotate("auto", { "lifecycle.capstan.dev/roll-back-after": "10m30s" });
  const seen = await rolledBack("auto", "True");
  assert.equal(seen?.metadata.annotations?.["lifecycle.capstan.dev/excluded-versions"], "auto.v2.0.0");
  assert.equal(await world.csv("auto", "auto.v2.0.0"), undefined);
  assert.equal((await world.csv("auto", "auto.v1.0.0"))?.status?.phase, "Succeeded");
  assert.deepEqual([await image("auto"), await fields("auto")], ["auto:1.0.0", ["a"]]);
});
