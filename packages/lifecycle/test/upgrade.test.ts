/** OperatorConditions, Operators, OperatorGroups and failures on the embedded cluster with simulated pods. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Deployment } from "@capstan/kinds/apps/v1";
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "@capstan/kinds/rbac.authorization.k8s.io/v1";
import { ServiceAccount } from "@capstan/kinds/v1";
import { OLMConfig, Operator, OperatorCondition, OperatorGroup } from "@capstan/lifecycle";
import { oneChannel, operatorCrd, operatorCsv } from "./content.ts";
import { edit } from "./edit.ts";
import { startWorld, type World } from "./world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world[Symbol.asyncDispose]());

const phaseOf = async (namespace: string, name: string): Promise<string> => {
  const { phase, reason } = (await world.csv(namespace, name))?.status ?? {};
  return `${phase}/${reason}`;
};

const reaches = (namespace: string, name: string, wanted: string): Promise<string> =>
  world.until(
    `${name} is ${wanted}`,
    () => phaseOf(namespace, name),
    (seen) => seen === wanted,
  );

test("an OperatorCondition holds an upgrade back until it is overridden", async () => {
  await world.namespace("veto");
  const crds = [operatorCrd("veto")];
  const first = operatorCsv({ name: "veto", version: "1.0.0" });
  await world.catalog(oneChannel("veto.v1.0.0", [first], crds), "veto");
  await world.subscribe("veto", { name: "veto", source: "veto" });
  await world.succeeded("veto", "veto.v1.0.0");
  const key = { namespace: "veto", name: "veto.v1.0.0" };
  const condition = await world.until(
    "the OperatorCondition exists",
    () => world.cluster.get(OperatorCondition, key),
    (seen) => seen !== undefined,
  );
  assert.ok(condition);
  const busy = { type: "Upgradeable", status: "False", reason: "Busy", message: "migrating" } as const;
  const conditions = [{ ...busy, lastTransitionTime: "2026-01-01T00:00:00Z" }];
  await edit(world.cluster, OperatorCondition, {
    key,
    change: (present) => ({ ...present, spec: { ...present.spec, conditions } }),
  });
  const reported = await world.until(
    "the status has the condition",
    () => world.cluster.get(OperatorCondition, key),
    (seen) => seen?.status?.conditions?.[0]?.status === "False",
  );
  const second = operatorCsv({ name: "veto", version: "1.1.0", replaces: "veto.v1.0.0" });
  await world.catalog(oneChannel("veto.v1.1.0", [first, second], crds), "veto");
  await reaches("veto", "veto.v1.1.0", "Pending/OperatorConditionNotUpgradeable");
  assert.match(
    (await world.csv("veto", "veto.v1.1.0"))?.status?.message ?? "",
    /^operator is not upgradeable: the operator is not upgradeable: migrating$/u,
  );
  assert.ok(reported);
  const override = { ...busy, status: "True", reason: "Admin", message: "go on" } as const;
  const overrides = [{ ...override, lastTransitionTime: "2026-01-01T00:00:00Z" }];
  await edit(world.cluster, OperatorCondition, {
    key,
    change: (present) => ({ ...present, spec: { ...present.spec, overrides } }),
  });
  await world.succeeded("veto", "veto.v1.1.0");
});

test("an Operator lists the components of its package", async () => {
  const operator = await world.until(
    "the Operator lists the Deployment",
    () => world.cluster.get(Operator, { namespace: "", name: "veto.veto" }),
    (seen) => seen?.status?.components?.refs?.some(({ kind }) => kind === "Deployment") === true,
  );
  const kinds = new Set(operator?.status?.components?.refs?.map(({ kind }) => kind));
  assert.ok(["ClusterServiceVersion", "CustomResourceDefinition", "Subscription"].every((kind) => kinds.has(kind)));
});

test("a missing, second or unsuitable OperatorGroup fails the operator until corrected", async () => {
  await world.namespace("modes", "none");
  const csv = operatorCsv({ name: "modal", version: "1.0.0", modes: ["OwnNamespace"] });
  const { ClusterServiceVersion } = await import("@capstan/lifecycle");
  const metadata = { ...csv.metadata, namespace: "modes" };
  await world.cluster.apply(ClusterServiceVersion, { ...csv, metadata } as never, "test");
  await reaches("modes", "modal.v1.0.0", "Failed/NoOperatorGroup");
  await world.cluster.create(OperatorGroup, { metadata: { name: "one", namespace: "modes" }, spec: {} });
  await reaches("modes", "modal.v1.0.0", "Failed/UnsupportedOperatorGroup");
  const two = await world.cluster.create(OperatorGroup, { metadata: { name: "two", namespace: "modes" }, spec: {} });
  await reaches("modes", "modal.v1.0.0", "Failed/TooManyOperatorGroups");
  const conditions = await world.until(
    "the groups say that there are several",
    () => world.cluster.get(OperatorGroup, { namespace: "modes", name: "one" }),
    (seen) => seen?.status?.conditions?.[0]?.reason === "MultipleOperatorGroupsFound",
  );
  assert.ok(conditions);
  await world.cluster.remove(OperatorGroup, { namespace: "modes", name: two.metadata.name });
  const one = await world.until(
    "the condition is gone",
    () => world.cluster.get(OperatorGroup, { namespace: "modes", name: "one" }),
    (seen) => (seen?.status?.conditions ?? []).length === 0,
  );
  assert.ok(one);
  await edit(world.cluster, OperatorGroup, {
    key: { namespace: "modes", name: "one" },
    change: (present) => ({ ...present, spec: { targetNamespaces: ["modes"] } }),
  });
  // Its CRD and its service account are missing.
  await reaches("modes", "modal.v1.0.0", "Pending/RequirementsNotMet");
});

test("a plan of a service account waits until the account is allowed to do it", async () => {
  await world.namespace("scoped", { spec: { targetNamespaces: ["scoped"], serviceAccountName: "installer" } });
  await world.cluster.create(ServiceAccount, { metadata: { name: "installer", namespace: "scoped" } });
  const csv = operatorCsv({ name: "scoped", version: "1.0.0" });
  const strategy = (csv["spec"] as { readonly install: { readonly spec: object } }).install.spec;
  const install = { strategy: "deployment", spec: { ...strategy, clusterPermissions: [] } };
  const plain = { ...csv, spec: { ...(csv["spec"] as object), install } };
  await world.catalog(oneChannel("scoped.v1.0.0", [plain], [operatorCrd("scoped")]), "scoped");
  await world.subscribe("scoped", { name: "scoped", source: "scoped" });
  const [plan] = await world.until(
    "the plan says what is forbidden",
    () => world.plans("scoped"),
    ([seen]) => seen?.status?.message?.includes("forbidden") === true,
  );
  assert.equal(plan?.status?.attenuatedServiceAccountRef?.name, "installer");
  assert.equal(await world.csv("scoped", "scoped.v1.0.0"), undefined);
  const metadata = { name: "installer", namespace: "scoped" };
  const rules = [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }];
  await world.cluster.create(Role, { metadata, rules });
  const subjects = [{ kind: "ServiceAccount", name: "installer", namespace: "scoped" }];
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "installer" };
  await world.cluster.create(RoleBinding, { metadata, subjects, roleRef });
  const everywhere = { name: "scoped-crds" };
  const crds = [{ apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: ["*"] }];
  await world.cluster.create(ClusterRole, { metadata: everywhere, rules: crds });
  await world.cluster.create(ClusterRoleBinding, {
    metadata: everywhere,
    subjects,
    roleRef: { ...roleRef, kind: "ClusterRole", name: "scoped-crds" },
  });
  await world.succeeded("scoped", "scoped.v1.0.0");
});

test("a changed Deployment is brought back", async () => {
  const key = { namespace: "scoped", name: "scoped" };
  const known = await world.cluster.get(Deployment, key);
  assert.ok(known?.spec);
  const hash = known.metadata.labels?.["olm.deployment-spec-hash"];
  await edit(world.cluster, Deployment, {
    key,
    change: ({ metadata, ...present }) => {
      const labels = { ...metadata.labels, "olm.deployment-spec-hash": "other" };
      return { ...present, metadata: { ...metadata, labels } };
    },
  });
  await world.until(
    "the hash is back",
    () => world.cluster.get(Deployment, key),
    (seen) => seen?.metadata.labels?.["olm.deployment-spec-hash"] === hash,
  );
  await world.succeeded("scoped", "scoped.v1.0.0");
});

test("a version whose Deployment has another selector gets a new Deployment", async () => {
  await world.namespace("selector");
  const crds = [operatorCrd("selector")];
  const first = operatorCsv({ name: "selector", version: "1.0.0" });
  await world.catalog(oneChannel("selector.v1.0.0", [first], crds), "selector");
  await world.subscribe("selector", { name: "selector", source: "selector" });
  await world.succeeded("selector", "selector.v1.0.0");
  const labelled = JSON.stringify(operatorCsv({ name: "selector", version: "1.1.0", replaces: "selector.v1.0.0" }));
  const second = JSON.parse(labelled.replaceAll('{"app":"selector"}', '{"app":"other"}')) as typeof first;
  await world.catalog(oneChannel("selector.v1.1.0", [first, second], crds), "selector");
  await world.succeeded("selector", "selector.v1.1.0");
  const deployed = await world.cluster.get(Deployment, { namespace: "selector", name: "selector" });
  assert.deepEqual(deployed?.spec?.selector, { matchLabels: { app: "other" } });
});

test("the OLMConfig says whether copies are enabled", async () => {
  const config = await world.until(
    "the condition exists",
    () => world.cluster.get(OLMConfig, { namespace: "", name: "cluster" }),
    (seen) => seen?.status?.conditions?.[0]?.reason === "CopiedCSVsEnabled",
  );
  assert.equal(config?.status?.conditions?.[0]?.type, "DisabledCopiedCSVs");
});
