/** Installing and upgrading on the embedded cluster with simulated pods. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Deployment } from "@capstan/kinds/apps/v1";
import { ClusterRole } from "@capstan/kinds/rbac.authorization.k8s.io/v1";
import { ClusterServiceVersion, InstallPlan, OperatorGroup } from "@capstan/lifecycle";
import { apiOf } from "@capstan/runtime";
import { oneChannel, operatorCrd, operatorCsv } from "./content.ts";
import { startWorld, type World } from "./world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world[Symbol.asyncDispose]());

test("a Subscription installs an operator, and a new catalog upgrades it", async () => {
  await world.namespace("shop");
  await world.catalog(oneChannel("foo.v1.0.0", [operatorCsv({ version: "1.0.0" })]));
  await world.subscribe("shop", { name: "foo" });
  const first = await world.succeeded("shop", "foo.v1.0.0");
  assert.deepEqual(
    first?.status?.requirementStatus?.map(({ kind, status }) => `${kind} ${status}`),
    ["CustomResourceDefinition Present", "ServiceAccount Present"],
  );
  const subscription = await world.until(
    "the Subscription is at the latest version",
    () => world.subscription("shop", "foo"),
    (seen) => seen?.status?.state === "AtLatestKnown",
  );
  assert.equal(subscription?.status?.installedCSV, "foo.v1.0.0");
  const [plan] = await world.until(
    "the plan is complete",
    () => world.plans("shop"),
    ([seen]) => seen?.status?.phase === "Complete",
  );
  // A plan whose status could not be written runs again, and finds what it created.
  const outcomes = (plan?.status?.plan ?? []).map(({ status }) => status.replace("Present", "Created"));
  assert.deepEqual(new Set(outcomes), new Set(["Created"]));
  const deployment = await world.cluster.get(Deployment, { namespace: "shop", name: "foo" });
  assert.equal(deployment?.spec?.revisionHistoryLimit, 1);
  assert.equal(deployment?.spec?.template.metadata?.annotations?.["olm.targetNamespaces"], "shop");

  const second = operatorCsv({ version: "1.1.0", replaces: "foo.v1.0.0" });
  await world.catalog(oneChannel("foo.v1.1.0", [operatorCsv({ version: "1.0.0" }), second]));
  await world.succeeded("shop", "foo.v1.1.0");
  await world.until(
    "the old version is gone",
    () => world.csv("shop", "foo.v1.0.0"),
    (seen) => seen === undefined,
  );
  assert.equal((await world.plans("shop")).length, 2);
});

test("an operator for all namespaces is copied, and its users get roles", async () => {
  await world.namespace("other", "none");
  const csvs = [operatorCsv({ name: "baz", version: "1.0.0" })];
  await world.catalog(oneChannel("baz.v1.0.0", csvs, [operatorCrd("baz")]), "bazes");
  await world.subscribe("operators", { name: "baz", source: "bazes" });
  await world.succeeded("operators", "baz.v1.0.0");
  const copy = await world.until(
    "the copy exists",
    () => world.csv("other", "baz.v1.0.0"),
    (seen) => seen?.status?.phase === "Succeeded",
  );
  assert.equal(copy?.status?.reason, "Copied");
  assert.equal(copy?.metadata.labels?.["olm.copiedFrom"], "operators");
  const role = await world.until(
    "the view role exists",
    () => world.cluster.get(ClusterRole, { namespace: "", name: "bazs.example.com-v1-view" }),
    (seen) => seen !== undefined,
  );
  assert.equal(role?.metadata.labels?.["rbac.authorization.k8s.io/aggregate-to-view"], "true");
  const group = await world.cluster.get(OperatorGroup, { namespace: "operators", name: "global-operators" });
  assert.equal(group?.metadata.annotations?.["olm.providedAPIs"], "Baz.v1.example.com");

  await world.cluster.remove(ClusterServiceVersion, { namespace: "operators", name: "baz.v1.0.0" });
  await world.until(
    "the copy is gone",
    () => world.csv("other", "baz.v1.0.0"),
    (seen) => seen === undefined,
  );
});

test("a manual plan waits until it is approved", async () => {
  await world.namespace("manual");
  const csvs = [operatorCsv({ name: "bar", version: "1.0.0" })];
  await world.catalog(oneChannel("bar.v1.0.0", csvs, [operatorCrd("bar")]), "bars");
  await world.subscribe("manual", { name: "bar", source: "bars", installPlanApproval: "Manual" });
  const [plan] = await world.until(
    "the plan waits",
    () => world.plans("manual"),
    ([seen]) => seen?.status?.phase === "RequiresApproval",
  );
  assert.ok(plan);
  assert.equal(await world.csv("manual", "bar.v1.0.0"), undefined);
  const subscription = await world.until(
    "the Subscription says what it waits for",
    () => world.subscription("manual", "bar"),
    (seen) => seen?.status?.conditions?.some(({ reason }) => reason === "RequiresApproval") === true,
  );
  assert.equal(subscription?.status?.state, "UpgradePending");
  // The manager labels the plan meanwhile, which an approval must not depend on.
  const { namespace = "", name } = plan.metadata;
  await apiOf(world.client).patch(
    InstallPlan,
    { namespace, name },
    { spec: { approved: true } },
    { type: "merge", manager: "user" },
  );
  await world.succeeded("manual", "bar.v1.0.0");
});
