/** ClusterExtensions on the embedded cluster with simulated pods. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { CustomResourceDefinition } from "@capstan/kinds/apiextensions.k8s.io/v1";
import { Deployment } from "@capstan/kinds/apps/v1";
import { ClusterRole } from "@capstan/kinds/rbac.authorization.k8s.io/v1";
import { ConfigMap } from "@capstan/kinds/v1";
import {
  ClusterCatalog,
  ClusterExtension,
  ClusterExtensionRevision,
  type Manifest,
  rollBackExtension,
} from "@capstan/lifecycle";
import { operatorCrd, operatorCsv } from "./content.ts";
import { catalogOf, extend, packageOf, putBundle, putClusterCatalog, untilReason } from "./extensions.ts";
import { startWorld, type World } from "./world.ts";

let world: World;
let ahead = 0;
before(async () => {
  world = await startWorld({ ahead: () => ahead });
});
after(() => world[Symbol.asyncDispose]());

const bundle = (name: string, version: string, crd: Manifest = operatorCrd(name)): readonly Manifest[] => [
  operatorCsv({ name, version }),
  crd,
];

const extension = (name: string): Promise<ClusterExtension | undefined> =>
  world.cluster.get(ClusterExtension, { namespace: "", name });

const conditions = (found: ClusterExtension | undefined): Readonly<Record<string, string>> =>
  Object.fromEntries((found?.status?.conditions ?? []).map((each) => [each.type, `${each.status} ${each.reason}`]));

const revision = (name: string): Promise<ClusterExtensionRevision | undefined> =>
  world.cluster.get(ClusterExtensionRevision, { namespace: "", name });

/** An operator whose pods fit no node. */
function brokenCsv(name: string): Manifest {
  const broken = operatorCsv({ name, version: "2.0.0" });
  interface Changeable {
    readonly install: { readonly spec: { readonly deployments: { spec: { template: { spec: object } } }[] } };
  }
  const { install } = broken["spec"] as Changeable;
  for (const { spec } of install.spec.deployments)
    spec.template.spec = { ...spec.template.spec, nodeSelector: { no: "node" } };
  return broken;
}

async function rollsOut(name: string): Promise<void> {
  await world.until(
    `${name} rolls out`,
    () => revision(name),
    (seen) => seen?.status?.conditions?.some(({ reason }) => reason === "RollingOut") === true,
  );
}

/** Lets the time of a deadline pass, and reminds the manager of the revision. */
async function passDeadline(name: string, minutes: number): Promise<void> {
  ahead += (minutes + 1) * 60_000;
  const labels = { poke: String(ahead) };
  await world.cluster.apply(ClusterExtensionRevision, { metadata: { name, labels } } as never, "poke");
}

test("an extension is installed in phases", async () => {
  await world.namespace("foo", "none");
  putBundle(world, "foo", "1.0.0", bundle("foo", "1.0.0"));
  const first = catalogOf(packageOf("foo", [{ version: "1.0.0" }]));
  await putClusterCatalog(world, "one", { catalog: first, digest: "a" });
  await extend(world, "foo");
  const installed = await untilReason(world, "foo", { type: "Installed", reason: "Succeeded" });
  assert.equal(installed?.status?.install?.bundle.version, "1.0.0");
  const settled = await untilReason(world, "foo", { type: "Progressing", reason: "Succeeded" });
  assert.deepEqual(conditions(settled), {
    Deprecated: "False NotDeprecated",
    PackageDeprecated: "False NotDeprecated",
    ChannelDeprecated: "False NotDeprecated",
    BundleDeprecated: "False NotDeprecated",
    Available: "True ProbesSucceeded",
    Progressing: "True Succeeded",
    Installed: "True Succeeded",
  });
  const made = await revision("foo-1");
  assert.deepEqual(
    made?.spec.phases?.map(({ name }) => name),
    ["identity", "crds", "roles", "bindings", "deploy"],
  );
  const deployment = await world.cluster.get(Deployment, { namespace: "foo", name: "foo" });
  assert.equal(deployment?.spec?.template.metadata?.annotations?.["olm.targetNamespaces"], "");
  assert.equal(deployment?.metadata.ownerReferences?.[0]?.name, "foo-1");
});

test("a catalog reports the digest that it serves, and has a label with its name", async () => {
  const catalog = await world.until(
    "the catalog is served",
    () => world.cluster.get(ClusterCatalog, { namespace: "", name: "one" }),
    (seen) => seen?.status?.resolvedSource !== undefined,
  );
  assert.equal(catalog?.status?.resolvedSource?.image.ref, `registry.example/one@sha256:${"a".repeat(64)}`);
  assert.equal(catalog?.metadata.labels?.["olm.operatorframework.io/metadata.name"], "one");
});

test("a new catalog upgrades an extension in place, and its removal removes all", async () => {
  const deployment = await world.cluster.get(Deployment, { namespace: "foo", name: "foo" });
  putBundle(world, "foo", "1.1.0", bundle("foo", "1.1.0"));
  const versions = [{ version: "1.0.0" }, { version: "1.1.0", replaces: "foo.v1.0.0" }];
  await putClusterCatalog(world, "one", {
    catalog: catalogOf(packageOf("foo", versions)),
    digest: "b",
    spec: { priority: 1 },
  });
  ahead += 61_000;
  await world.cluster.apply(ClusterCatalog, { metadata: { name: "one", labels: { poll: "now" } } } as never, "poll");
  await world.until(
    "the new version is installed",
    () => extension("foo"),
    (seen) => seen?.status?.install?.bundle.version === "1.1.0",
  );
  await world.until(
    "the old revision is archived",
    () => revision("foo-1"),
    (seen) => seen?.status?.conditions?.some(({ reason }) => reason === "Archived") === true,
  );
  const upgraded = await world.cluster.get(Deployment, { namespace: "foo", name: "foo" });
  assert.equal(upgraded?.metadata.uid, deployment?.metadata.uid);
  assert.equal(upgraded?.metadata.ownerReferences?.length, 1);
  const roles = await world.cluster.list(ClusterRole, { labelSelector: "olm.operatorframework.io/owner-name=foo" });
  assert.ok(roles.every(({ metadata }) => metadata.name.startsWith("foo.v1.1.0-foo-")));

  await world.cluster.remove(ClusterExtension, { namespace: "", name: "foo" });
  await world.until(
    "the CRD is gone",
    () => world.cluster.get(CustomResourceDefinition, { namespace: "", name: "foos.example.com" }),
    (seen) => seen === undefined,
  );
  await world.until(
    "the Deployment is gone",
    () => world.cluster.get(Deployment, { namespace: "foo", name: "foo" }),
    (seen) => seen === undefined,
  );
});

test("pins, ranges and policies decide about the version", async () => {
  await world.namespace("pin", "none");
  for (const version of ["1.0.0", "1.1.0", "2.0.0"]) putBundle(world, "pin", version, bundle("pin", version));
  const versions = [
    { version: "1.0.0" },
    { version: "1.1.0", replaces: "pin.v1.0.0" },
    { version: "2.0.0", replaces: "pin.v1.1.0" },
  ];
  await putClusterCatalog(world, "pins", { catalog: catalogOf(packageOf("pin", versions)), digest: "a" });
  await extend(world, "pin", { catalog: { version: "1.9.9" } });
  const absent = await untilReason(world, "pin", {
    type: "Progressing",
    reason: "Retrying",
    message: 'no bundles found for package "pin" matching version "1.9.9"',
  });
  assert.equal(conditions(absent)["Installed"], "False Failed");

  const runs = (version: string) =>
    world.until(
      `pin ${version} is installed`,
      () => extension("pin"),
      (seen) => seen?.status?.install?.bundle.version === version,
    );
  await extend(world, "pin", { catalog: { version: "1.0.0" } });
  await runs("1.0.0");
  await extend(world, "pin", { catalog: { version: "1.x" } });
  await runs("1.1.0");
  await extend(world, "pin", { catalog: { version: "1.0.0" } });
  await untilReason(world, "pin", {
    type: "Progressing",
    reason: "Retrying",
    message: 'error upgrading from currently installed version "1.1.0": no bundles found',
  });
  await extend(world, "pin", { catalog: { version: "1.0.0", upgradeConstraintPolicy: "SelfCertified" } });
  await runs("1.0.0");
});

test("catalogs count by selector, priority and availability", async () => {
  await world.namespace("sel", "none");
  putBundle(world, "sel", "1.0.0", bundle("sel", "1.0.0"));
  const catalog = catalogOf(packageOf("sel", [{ version: "1.0.0" }]));
  await putClusterCatalog(world, "left", { catalog, digest: "a" });
  await putClusterCatalog(world, "right", { catalog, digest: "b" });
  await extend(world, "sel");
  await untilReason(world, "sel", {
    type: "Progressing",
    reason: "Retrying",
    message: 'found bundles for package "sel" in multiple catalogs with the same priority [left right]',
  });
  await putClusterCatalog(world, "right", { catalog, digest: "b", spec: { availabilityMode: "Unavailable" } });
  await untilReason(world, "sel", { type: "Installed", reason: "Succeeded" });
  const off = await world.until(
    "the catalog is not served",
    () => world.cluster.get(ClusterCatalog, { namespace: "", name: "right" }),
    (seen) => seen?.status?.conditions?.some(({ reason }) => reason === "UserSpecifiedUnavailable") === true,
  );
  assert.equal(off?.status?.urls, undefined);
  const selector = { matchLabels: { "olm.operatorframework.io/metadata.name": "right" } };
  await extend(world, "sel", { catalog: { selector } });
  await untilReason(world, "sel", {
    type: "Progressing",
    reason: "Retrying",
    message: 'no bundles found for package "sel"',
  });
});

test("the install modes decide about the configuration", async () => {
  await world.namespace("own", "none");
  putBundle(world, "own", "1.0.0", [
    operatorCsv({ name: "own", version: "1.0.0", modes: ["OwnNamespace"] }),
    operatorCrd("own"),
  ]);
  await putClusterCatalog(world, "owns", { catalog: catalogOf(packageOf("own", [{ version: "1.0.0" }])), digest: "a" });
  await extend(world, "own");
  await untilReason(world, "own", {
    type: "Progressing",
    reason: "InvalidConfiguration",
    message: 'required field "watchNamespace" is missing',
  });
  await extend(world, "own", { config: { configType: "Inline", inline: { watchNamespace: "other" } } });
  await untilReason(world, "own", {
    type: "Progressing",
    reason: "InvalidConfiguration",
    message: 'must be "own" (the namespace where the operator is installed)',
  });
  await extend(world, "own", { config: { configType: "Inline", inline: { watchNamespace: "own" } } });
  await untilReason(world, "own", { type: "Installed", reason: "Succeeded" });
  const deployment = await world.cluster.get(Deployment, { namespace: "own", name: "own" });
  assert.equal(deployment?.spec?.template.metadata?.annotations?.["olm.targetNamespaces"], "own");
});

test("an object of another owner is not taken over", async () => {
  await world.namespace("col", "none");
  const settings = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" }, data: { a: "1" } };
  putBundle(world, "col", "1.0.0", [...bundle("col", "1.0.0"), settings]);
  await putClusterCatalog(world, "cols", { catalog: catalogOf(packageOf("col", [{ version: "1.0.0" }])), digest: "a" });
  await world.cluster.create(ConfigMap, { metadata: { name: "settings", namespace: "col" }, data: { a: "mine" } });
  await extend(world, "col");
  await untilReason(world, "col", { type: "Progressing", reason: "Retrying", message: "ConfigMap col/settings" });
  const kept = await world.cluster.get(ConfigMap, { namespace: "col", name: "settings" });
  assert.deepEqual(kept?.data, { a: "mine" });
  assert.equal(await world.cluster.get(Deployment, { namespace: "col", name: "col" }), undefined);
});

test("a CRD that breaks what is stored is refused, unless the check is off", async () => {
  await world.namespace("safe", "none");
  const schema = (properties: object) => ({ type: "object", properties: { spec: { type: "object", properties } } });
  const text = { type: "string" };
  putBundle(world, "safe", "1.0.0", bundle("safe", "1.0.0", operatorCrd("safe", schema({ a: text, b: text }))));
  putBundle(world, "safe", "2.0.0", bundle("safe", "2.0.0", operatorCrd("safe", schema({ a: text }))));
  const versions = [{ version: "1.0.0" }, { version: "2.0.0", replaces: "safe.v1.0.0" }];
  await putClusterCatalog(world, "safes", { catalog: catalogOf(packageOf("safe", versions)), digest: "a" });
  await extend(world, "safe", { catalog: { version: "1.0.0" } });
  await untilReason(world, "safe", { type: "Installed", reason: "Succeeded" });
  await extend(world, "safe", { catalog: { version: "2.0.0" } });
  await untilReason(world, "safe", {
    type: "Progressing",
    reason: "Retrying",
    message:
      'error for resolved bundle "safe.v2.0.0" with version "2.0.0": validating upgrade for CRD "safes.example.com": existingFieldRemoval',
  });
  await extend(world, "safe", {
    catalog: { version: "2.0.0" },
    install: { preflight: { crdUpgradeSafety: { enforcement: "None" } } },
  });
  await world.until(
    "the new version is installed",
    () => extension("safe"),
    (seen) => seen?.status?.install?.bundle.version === "2.0.0",
  );
});

test("a version that misses its deadline is rolled back with its CRD", async () => {
  await world.namespace("back", "none");
  const schema = (properties: object) => ({ type: "object", properties: { spec: { type: "object", properties } } });
  const text = { type: "string" };
  putBundle(world, "back", "1.0.0", bundle("back", "1.0.0", operatorCrd("back", schema({ a: text }))));
  putBundle(world, "back", "2.0.0", [brokenCsv("back"), operatorCrd("back", schema({ a: text, b: text }))]);
  const versions = [{ version: "1.0.0" }, { version: "2.0.0", replaces: "back.v1.0.0" }];
  await putClusterCatalog(world, "backs", { catalog: catalogOf(packageOf("back", versions)), digest: "a" });
  await extend(world, "back", { catalog: { version: "1.0.0" }, progressDeadlineMinutes: 10 });
  await untilReason(world, "back", { type: "Installed", reason: "Succeeded" });
  await extend(world, "back", { catalog: { version: "2.0.0" }, progressDeadlineMinutes: 10 });
  await rollsOut("back-2");
  await passDeadline("back-2", 10);
  const found = await untilReason(world, "back", {
    type: "Progressing",
    reason: "ProgressDeadlineExceeded",
    message: "rolled back to 1.0.0",
  });
  assert.equal(found?.status?.install?.bundle.version, "1.0.0");
  await world.until(
    "the broken revision is archived",
    () => revision("back-2"),
    (seen) => seen?.status?.conditions?.some(({ reason }) => reason === "Archived") === true,
  );
  const crd = await world.cluster.get(CustomResourceDefinition, { namespace: "", name: "backs.example.com" });
  assert.equal(JSON.stringify(crd?.spec.versions[0]?.schema).includes('"b"'), false);
});

test("a stored object that the old CRD would change prevents the rollback", async () => {
  await world.namespace("stay", "none");
  const schema = (properties: object) => ({ type: "object", properties: { spec: { type: "object", properties } } });
  const text = { type: "string" };
  putBundle(world, "stay", "1.0.0", bundle("stay", "1.0.0", operatorCrd("stay", schema({ a: text }))));
  const next = operatorCrd("stay", schema({ a: text, b: text }));
  putBundle(world, "stay", "2.0.0", [brokenCsv("stay"), next]);
  const versions = [{ version: "1.0.0" }, { version: "2.0.0", replaces: "stay.v1.0.0" }];
  await putClusterCatalog(world, "stays", { catalog: catalogOf(packageOf("stay", versions)), digest: "a" });
  await extend(world, "stay", { catalog: { version: "1.0.0" }, progressDeadlineMinutes: 300 });
  await untilReason(world, "stay", { type: "Installed", reason: "Succeeded" });
  await extend(world, "stay", { catalog: { version: "2.0.0" }, progressDeadlineMinutes: 300 });
  await rollsOut("stay-2");
  const kind = { group: "example.com", version: "v1", kind: "Stay", plural: "stays", scope: "Namespaced" } as const;
  await world.cluster.create(
    kind as never,
    { metadata: { name: "one", namespace: "stay" }, spec: { b: "new" } } as never,
  );
  await passDeadline("stay-2", 300);
  await untilReason(world, "stay", {
    type: "Progressing",
    reason: "ProgressDeadlineExceeded",
    message: "It cannot be rolled back to 1.0.0: Stay stay/one would lose spec.b",
  });
  assert.equal(await revision("stay-3"), undefined);
});

test("a changed object is brought back, and what the catalog has lost stays installed", async () => {
  await world.namespace("keep", "none");
  const settings = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" }, data: { a: "1" } };
  putBundle(world, "keep", "1.0.0", [...bundle("keep", "1.0.0"), settings]);
  const catalog = catalogOf(packageOf("keep", [{ version: "1.0.0" }]));
  await putClusterCatalog(world, "keeps", { catalog, digest: "a" });
  const selector = { matchLabels: { "olm.operatorframework.io/metadata.name": "keeps" } };
  await extend(world, "keep", { catalog: { selector } });
  await untilReason(world, "keep", { type: "Installed", reason: "Succeeded" });
  const metadata = { name: "settings", namespace: "keep" };
  await world.cluster.apply(ConfigMap, { metadata, data: { a: "2" } }, "user");
  await world.until(
    "the ConfigMap is brought back",
    () => world.cluster.get(ConfigMap, { namespace: "keep", name: "settings" }),
    (seen) => seen?.data?.["a"] === "1",
  );

  world.images.delete("registry.example/keeps:latest");
  ahead += 61_000;
  await world.cluster.apply(ClusterCatalog, { metadata: { name: "keeps", labels: { poll: "now" } } } as never, "poll");
  const failing = await world.until(
    "the refresh fails",
    () => world.cluster.get(ClusterCatalog, { namespace: "", name: "keeps" }),
    (seen) => seen?.status?.conditions?.some(({ reason }) => reason === "Retrying") === true,
  );
  assert.ok(
    failing?.status?.conditions?.some(({ reason }) => reason === "Available"),
    "the old content is served",
  );
  await world.cluster.remove(ClusterCatalog, { namespace: "", name: "keeps" });
  const alone = await untilReason(world, "keep", { type: "Deprecated", reason: "DeprecationStatusUnknown" });
  assert.equal(conditions(alone)["Installed"], "True Succeeded");
  assert.equal(conditions(alone)["Progressing"], "True Succeeded");
});

test("a rollback by hand returns to the version before, unless data would be lost", async () => {
  await world.namespace("hand", "none");
  const schema = (properties: object) => ({ type: "object", properties: { spec: { type: "object", properties } } });
  const text = { type: "string" };
  putBundle(world, "hand", "1.0.0", bundle("hand", "1.0.0", operatorCrd("hand", schema({ a: text }))));
  putBundle(world, "hand", "2.0.0", bundle("hand", "2.0.0", operatorCrd("hand", schema({ a: text, b: text }))));
  const versions = [{ version: "1.0.0" }, { version: "2.0.0", replaces: "hand.v1.0.0" }];
  await putClusterCatalog(world, "hands", { catalog: catalogOf(packageOf("hand", versions)), digest: "a" });
  const runs = (version: string) =>
    world.until(
      `hand ${version} is installed`,
      () => extension("hand"),
      (seen) => seen?.status?.install?.bundle.version === version,
    );
  await extend(world, "hand", { catalog: { version: "1.0.0" } });
  await runs("1.0.0");
  const none = await rollBackExtension("hand", world.cluster);
  assert.match(none.type === "refused" ? none.reasons.join() : "", /no revision of another version/u);
  await extend(world, "hand", { catalog: { version: "2.0.0" } });
  await runs("2.0.0");
  const kind = { group: "example.com", version: "v1", kind: "Hand", plural: "hands", scope: "Namespaced" } as const;
  const key = { name: "one", namespace: "hand" };
  await world.cluster.create(kind as never, { metadata: key, spec: { b: "new" } } as never);
  assert.deepEqual(await rollBackExtension("hand", world.cluster), {
    type: "refused",
    reasons: ["Hand hand/one would lose spec.b"],
  });
  await world.cluster.remove(kind as never, key);
  assert.deepEqual(await rollBackExtension("hand", world.cluster), { type: "started", from: "2.0.0", to: "1.0.0" });
  await runs("1.0.0");
});

test("a paused extension stays at its version until it is resumed", async () => {
  await world.namespace("rest", "none");
  for (const version of ["1.0.0", "2.0.0"]) putBundle(world, "rest", version, bundle("rest", version));
  const versions = [{ version: "1.0.0" }, { version: "2.0.0", replaces: "rest.v1.0.0" }];
  await putClusterCatalog(world, "rests", { catalog: catalogOf(packageOf("rest", versions)), digest: "a" });
  await extend(world, "rest", { catalog: { version: "1.0.0" } });
  await untilReason(world, "rest", { type: "Installed", reason: "Succeeded" });
  const pause = (value: string) =>
    world.cluster.apply(
      ClusterExtension,
      { metadata: { name: "rest", annotations: { "capstan.dev/pause": value } } } as never,
      "pause",
    );
  await pause("true");
  await extend(world, "rest", { catalog: { version: "2.0.0" } });
  // Another extension is reconciled meanwhile, so the paused one has had its turn.
  await world.namespace("awake", "none");
  putBundle(world, "awake", "1.0.0", bundle("awake", "1.0.0"));
  const other = catalogOf(packageOf("awake", [{ version: "1.0.0" }]));
  await putClusterCatalog(world, "awakes", { catalog: other, digest: "a" });
  await extend(world, "awake");
  await untilReason(world, "awake", { type: "Installed", reason: "Succeeded" });
  assert.equal((await extension("rest"))?.status?.install?.bundle.version, "1.0.0");
  await pause("false");
  await world.until(
    "the resumed extension is upgraded",
    () => extension("rest"),
    (seen) => seen?.status?.install?.bundle.version === "2.0.0",
  );
});
