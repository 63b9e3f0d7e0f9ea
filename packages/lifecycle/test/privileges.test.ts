/** What an install with a service account cannot do: everything that the account may not, by whichever way. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ValidatingWebhookConfiguration } from "@capstan/kinds/admissionregistration.k8s.io/v1";
import { CustomResourceDefinition } from "@capstan/kinds/apiextensions.k8s.io/v1";
import { APIService } from "@capstan/kinds/apiregistration.k8s.io/v1";
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "@capstan/kinds/rbac.authorization.k8s.io/v1";
import { ConfigMap, ServiceAccount } from "@capstan/kinds/v1";
import { ClusterServiceVersion, InstallPlan, type Manifest, OperatorGroup } from "@capstan/lifecycle";
import type { KubeObject } from "@capstan/model";
import { operatorCrd, operatorCsv } from "./content.ts";
import { startWorld, type World } from "./world.ts";

const RBAC = "rbac.authorization.k8s.io";
let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world[Symbol.asyncDispose]());

/** A namespace whose operators are installed by an account that may do everything in it, and nothing outside of it. */
async function tenant(name: string): Promise<void> {
  await world.namespace(name, { spec: { targetNamespaces: [name], serviceAccountName: "installer" } });
  const metadata = { name: "installer", namespace: name };
  await world.cluster.create(ServiceAccount, { metadata });
  await world.cluster.create(Role, { metadata, rules: [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }] });
  const subjects = [{ kind: "ServiceAccount", ...metadata }];
  await world.cluster.create(RoleBinding, {
    metadata,
    subjects,
    roleRef: { apiGroup: RBAC, kind: "Role", name: "installer" },
  });
}

function plainCsv(name: string, spec: object = {}): Manifest {
  // Its pods run as the account that every namespace has.
  const text = JSON.stringify(operatorCsv({ name, version: "1.0.0" }));
  const csv = JSON.parse(
    text.replaceAll(`"serviceAccountName":"${name}"`, '"serviceAccountName":"default"'),
  ) as Manifest;
  const { install, ...rest } = csv["spec"] as { readonly install: { readonly spec: object } };
  const strategy = { strategy: "deployment", spec: { ...install.spec, permissions: [], clusterPermissions: [] } };
  return { ...csv, spec: { ...rest, customresourcedefinitions: {}, install: strategy, ...spec } };
}

/** Runs the objects of a bundle as a plan. */
async function install(namespace: string, objects: readonly Manifest[]): Promise<void> {
  const [csv] = objects;
  const resolving = csv?.metadata.name ?? "";
  const steps = objects.map((object) => {
    const [version = "", group = ""] = object.apiVersion.split("/").toReversed();
    const { name = "" } = object.metadata;
    const resource = { group, version, kind: object.kind, name, manifest: JSON.stringify(object) };
    return { resolving, status: "Unknown" as const, resource: { ...resource, sourceName: "", sourceNamespace: "" } };
  });
  const spec = {
    clusterServiceVersionNames: [resolving],
    approval: "Automatic" as const,
    approved: true,
    generation: 1,
  };
  const plan = await world.cluster.create(InstallPlan, { metadata: { name: "plan", namespace }, spec });
  const status = { phase: "Installing" as const, plan: steps, catalogSources: [] };
  await world.cluster.changeStatus(InstallPlan, { before: plan, after: { ...plan, status } });
}

/** The message of the plan once it says this. */
async function refused(namespace: string, what: RegExp): Promise<string> {
  const [plan] = await world.until(
    `the plan says ${String(what)}`,
    () => world.plans(namespace),
    ([seen]) => what.test(seen?.status?.message ?? ""),
  );
  return plan?.status?.message ?? "";
}

test("a CRD needs an account that may write CRDs", async () => {
  await tenant("crds");
  const crd = operatorCrd("crds");
  await install("crds", [plainCsv("crds"), crd]);
  const message = await refused("crds", /forbidden/u);
  assert.match(message, /"system:serviceaccount:crds:installer" cannot create resource "customresourcedefinitions"/u);
  assert.match(message, /--scoped-crds=manager/u);
  const key = { namespace: "", name: crd.metadata.name ?? "" };
  assert.equal(await world.cluster.get(CustomResourceDefinition, key), undefined);

  const metadata = { name: "crds-installer" };
  const rules = [{ apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: ["create"] }];
  await world.cluster.create(ClusterRole, { metadata, rules });
  const subjects = [{ kind: "ServiceAccount", name: "installer", namespace: "crds" }];
  const roleRef = { apiGroup: RBAC, kind: "ClusterRole", name: "crds-installer" };
  await world.cluster.create(ClusterRoleBinding, { metadata, subjects, roleRef });
  await world.succeeded("crds", "crds.v1.0.0");
});

test("objects of a bundle stay in the namespace, and those of the cluster are refused", async () => {
  await tenant("objects");
  const metadata = { name: "settings", namespace: "kube-system" };
  const role = {
    metadata: { name: "objects-role" },
    rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }],
  };
  await install("objects", [
    plainCsv("objects"),
    { apiVersion: "v1", kind: "ConfigMap", metadata, data: { a: "b" } },
    { apiVersion: `${RBAC}/v1`, kind: "ClusterRole", ...role },
  ]);
  assert.match(await refused("objects", /forbidden/u), /error creating clusterrole objects-role: .*cannot create/u);
  assert.ok(await world.cluster.get(ConfigMap, { namespace: "objects", name: "settings" }));
  assert.equal(await world.cluster.get(ConfigMap, { namespace: "kube-system", name: "settings" }), undefined);
  assert.equal(await world.cluster.get(ClusterRole, { namespace: "", name: "objects-role" }), undefined);
});

test("names that would lead elsewhere are refused", async () => {
  await tenant("names");
  const name = "../../kube-system/configmaps/names";
  await install("names", [plainCsv("names"), { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: {} }]);
  assert.match(await refused("names", /configmap/u), /error updating configmap: \.\.\/\.\.\/kube-system/u);
  const all = await world.cluster.list(ConfigMap, {});
  assert.deepEqual(
    all.filter((each) => each.metadata.name.includes("names")),
    [],
  );
});

test("an object of a bundle is owned by its own ClusterServiceVersion only", async () => {
  await tenant("owners");
  const group = (await world.cluster.list(OperatorGroup, { namespace: "owners" }))[0];
  assert.ok(group);
  const foreign = { apiVersion: group.apiVersion, kind: group.kind, name: "group", uid: group.metadata.uid };
  const other = { apiVersion: "operators.coreos.com/v1alpha1", kind: "ClusterServiceVersion", name: "other", uid: "" };
  const metadata = { name: "owned", ownerReferences: [foreign, other] };
  await install("owners", [plainCsv("owners"), { apiVersion: "v1", kind: "ConfigMap", metadata, data: {} }]);
  await world.succeeded("owners", "owners.v1.0.0");
  const found = await world.cluster.get(ConfigMap, { namespace: "owners", name: "owned" });
  assert.deepEqual(
    found?.metadata.ownerReferences?.map(({ name }) => name),
    ["owners.v1.0.0"],
  );
});

test("webhooks and APIServices need an account that may register them", async () => {
  await tenant("hooks");
  const webhook = {
    generateName: "hooks.example.com",
    type: "ValidatingAdmissionWebhook",
    deploymentName: "hooks",
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
    rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: ["secrets"] }],
  };
  await install("hooks", [plainCsv("hooks", { webhookdefinitions: [webhook] })]);
  await tenant("services");
  const service = {
    group: "services.example.com",
    version: "v1",
    kind: "Thing",
    name: "things",
    deploymentName: "services",
  };
  await install("services", [plainCsv("services", { apiservicedefinitions: { owned: [service] } })]);
  for (const [namespace, name] of [
    ["hooks", "hooks.v1.0.0"],
    ["services", "services.v1.0.0"],
  ] as const) {
    const seen = await world.until(
      `${name} fails`,
      () => world.csv(namespace, name),
      (csv) => csv?.status?.reason === "InstallComponentFailedNoRetry",
    );
    assert.match(seen?.status?.message ?? "", new RegExp(`"system:serviceaccount:${namespace}:installer" cannot`, "u"));
  }
  const configurations = await world.cluster.list<KubeObject>(ValidatingWebhookConfiguration, {});
  assert.deepEqual(
    configurations.map(({ metadata }) => metadata.name),
    [],
  );
  const key = { namespace: "", name: "v1.services.example.com" };
  assert.equal(await world.cluster.get(APIService, key), undefined);
});

test("a role that only claims to be the operator's is not granted in the whole cluster", async () => {
  await world.namespace("lifted", {});
  const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
  const permissions = [{ serviceAccountName: "lifted", rules }];
  const csv = plainCsv("lifted");
  const { install: strategy, ...rest } = csv["spec"] as { readonly install: { readonly spec: object } };
  const spec = { ...rest, install: { ...strategy, spec: { ...strategy.spec, permissions } } };
  const made = await world.cluster.create(ClusterServiceVersion, {
    ...csv,
    metadata: { name: "lifted.v1.0.0", namespace: "lifted" },
    spec,
  } as never);
  await world.cluster.create(ServiceAccount, { metadata: { name: "lifted", namespace: "lifted" } });
  const owner = { apiVersion: made.apiVersion, kind: made.kind, name: made.metadata.name, uid: made.metadata.uid };
  const labels = {
    "olm.owner": "lifted.v1.0.0",
    "olm.owner.namespace": "lifted",
    "olm.owner.kind": "ClusterServiceVersion",
  };
  const role = async (name: string, granted: Role["rules"]): Promise<void> => {
    const metadata = { name, namespace: "lifted", labels, ownerReferences: [owner] };
    await world.cluster.create(Role, { metadata, ...(granted && { rules: granted }) });
    const subjects = [{ kind: "ServiceAccount", name: "lifted", namespace: "lifted" }];
    await world.cluster.create(RoleBinding, { metadata, subjects, roleRef: { apiGroup: RBAC, kind: "Role", name } });
  };
  await role("lifted-forged", [{ apiGroups: [""], resources: ["secrets"], verbs: ["*"] }]);
  await role("lifted-own", rules);
  await world.until(
    "the described role is granted",
    () => world.cluster.get(ClusterRoleBinding, { namespace: "", name: "lifted-own" }),
    (seen) => seen !== undefined,
  );
  assert.equal(await world.cluster.get(ClusterRole, { namespace: "", name: "lifted-forged" }), undefined);
  assert.equal(await world.cluster.get(ClusterRoleBinding, { namespace: "", name: "lifted-forged" }), undefined);
});
