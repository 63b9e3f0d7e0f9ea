/** A program with webhooks as in production: two pods behind a Service, with only the permissions that it needs. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { createClient, isApiError, loadConfig, processHost } from "@capstan/client";
import type { Client } from "@capstan/client";
import { Deployment } from "@capstan/kinds/apps/v1";
import { Lease } from "@capstan/kinds/coordination.k8s.io/v1";
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "@capstan/kinds/rbac.authorization.k8s.io/v1";
import { ConfigMap, Namespace, Pod, Secret, Service, ServiceAccount } from "@capstan/kinds/v1";
import { buildTestImages, kubernetesMissing, useKubernetes } from "@capstan/kubernetes";
import type { KubeObject, StoredMeta } from "@capstan/model";
import type { Kind } from "@capstan/model";
import { sleep, systemClock } from "../src/clock.ts";

interface VolumeObject extends KubeObject {
  readonly metadata: StoredMeta;
  readonly spec: { readonly size?: string; readonly gigabytes?: number; readonly profile?: string };
}

type VolumeKind = Kind<VolumeObject, { readonly spec?: VolumeObject["spec"] }, "Namespaced">;
const names = { group: "pods.example.com", kind: "Volume", plural: "volumes", scope: "Namespaced" } as const;
const VolumeV1: VolumeKind = { ...names, version: "v1" };
const VolumeV2: VolumeKind = { ...names, version: "v2" };

/** The command that runs this Node with these sources in a container without either: from the host's files, with its loader. */
function commandInPod(program: string, ...flags: readonly string[]): string[] {
  const node = realpathSync(process.execPath);
  const linked = execFileSync("ldd", [node], { encoding: "utf8" });
  const libraries = [...linked.matchAll(/=> (\/\S+)\/[^/\s]+ /gu)].map(
    ([, folder = ""]) => `/host${realpathSync(folder)}`,
  );
  const loader = /^\s*(\/\S*ld-linux\S*)/mu.exec(linked)?.[1] ?? assert.fail(`no loader in ${linked}`);
  const path = [...new Set(libraries)].join(":");
  return [
    `/host${realpathSync(loader)}`,
    "--library-path",
    path,
    `/host${node}`,
    "--conditions=@capstan/source",
    `/host${program}`,
    ...flags,
  ];
}

const verbs = { read: ["get", "list", "watch"], own: ["get", "list", "watch", "create", "patch", "delete"] };

/** The output of `capstan generate rbac` for such a program. */
const clusterRules = [
  { apiGroups: ["pods.example.com"], resources: ["volumes"], verbs: [...verbs.read, "patch"] },
  { apiGroups: ["pods.example.com"], resources: ["volumes/status"], verbs: ["patch"] },
  { apiGroups: ["pods.example.com"], resources: ["volumes/finalizers"], verbs: ["update"] },
  { apiGroups: [""], resources: ["configmaps"], verbs: verbs.own },
  { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] },
  {
    apiGroups: ["admissionregistration.k8s.io"],
    resources: ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"],
    verbs: ["create", "patch"],
  },
  { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: ["create", "get", "patch"] },
];
const ownRules = [
  { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["create", "get", "patch"] },
  { apiGroups: [""], resources: ["secrets"], verbs: ["create", "get", "patch"] },
];

async function install(client: Client, namespace: string, image: string): Promise<void> {
  const roleRef = (kind: string) => ({ apiGroup: "rbac.authorization.k8s.io", kind, name: namespace });
  const subjects = [{ kind: "ServiceAccount", namespace, name: "volumes" }];
  await client.create(Namespace, { metadata: { name: namespace } });
  await client.create(ServiceAccount, { metadata: { namespace, name: "volumes" } });
  await client.create(ClusterRole, { metadata: { name: namespace }, rules: clusterRules });
  await client.create(ClusterRoleBinding, { metadata: { name: namespace }, subjects, roleRef: roleRef("ClusterRole") });
  await client.create(Role, { metadata: { namespace, name: namespace }, rules: ownRules });
  await client.create(RoleBinding, { metadata: { namespace, name: namespace }, subjects, roleRef: roleRef("Role") });
  const labels = { app: "volumes" };
  const ports = [{ port: 443, targetPort: 9443 }];
  await client.create(Service, { metadata: { namespace, name: "volumes-webhook" }, spec: { selector: labels, ports } });
  const program = fileURLToPath(new URL("program/volumes.ts", import.meta.url));
  const container = {
    name: "operator",
    image,
    command: commandInPod(program, "--leader-elect", "--health-probe-bind-address=:8081"),
    volumeMounts: [{ name: "host", mountPath: "/host", readOnly: true }],
    readinessProbe: { httpGet: { path: "/readyz", port: 8081 }, periodSeconds: 1 },
  };
  const volumes = [{ name: "host", hostPath: { path: "/" } }];
  const spec = { serviceAccountName: "volumes", terminationGracePeriodSeconds: 5, containers: [container], volumes };
  await client.create(Deployment, {
    metadata: { namespace, name: "volumes" },
    spec: { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  });
}

test(
  "two pods default, validate and convert through their Service, and one leads",
  { skip: kubernetesMissing({ node: true }) },
  async (t) => {
    const cluster = await useKubernetes(t, { node: true });
    const busybox = (await buildTestImages()).find(({ name }) => name === "busybox");
    assert.ok(busybox !== undefined);
    await cluster.load([busybox.archive]);
    const client = createClient(await loadConfig(processHost(), { kubeconfig: cluster.kubeconfig }));
    t.after(() => client.close());
    const own = `${cluster.namespace}-operator`;
    t.after(() => remove(client, own));
    await install(client, own, busybox.reference);

    const logs = async (): Promise<string> => {
      const pods = await Array.fromAsync(client.list(Pod, { namespace: own }));
      const texts = pods.map(async ({ metadata, status }) => {
        const before = { namespace: own, name: metadata.name, previous: true };
        const text = await client.logs({ namespace: own, name: metadata.name }).text().catch(String);
        return `${metadata.name} ${JSON.stringify(status?.containerStatuses?.[0])}\n${text}\n${await client.logs(before).text().catch(String)}`;
      });
      return (await Promise.all(texts)).join("\n");
    };
    const until = async (holds: () => Promise<boolean>, what: string): Promise<void> => {
      const end = systemClock.now() + 120_000;
      let last: unknown;
      while (!(await holds().catch((error: unknown) => void (last = error)))) {
        if (systemClock.now() > end) assert.fail(`waited in vain until ${what}: ${String(last)}\n${await logs()}`);
        await sleep(systemClock, 100);
      }
    };
    await until(async () => {
      const { status } = await client.get(Deployment, { namespace: own, name: "volumes" });
      return status?.readyReplicas === 2;
    }, "both replicas are ready");

    const { namespace } = cluster;
    const write = (kind: VolumeKind, name: string, spec: VolumeObject["spec"]): Promise<VolumeObject> =>
      client.apply(kind, { metadata: { namespace, name }, spec }, { fieldManager: "user", force: true });
    await until(
      async () => (await write(VolumeV2, "data", { size: "3Gi" })).spec.profile === "small",
      "a write is completed",
    );
    await assert.rejects(write(VolumeV2, "data", { size: "3Gi", profile: "huge" }), (error) => {
      assert.ok(isApiError(error, "Invalid"));
      assert.match(error.message, /spec\.profile: Invalid value: "huge": there is no such profile/u);
      return true;
    });
    await write(VolumeV1, "old", { gigabytes: 7 });
    assert.deepEqual((await client.get(VolumeV2, { namespace, name: "old" })).spec, { size: "7Gi", profile: "small" });
    await until(
      async () => (await client.get(ConfigMap, { namespace, name: "old" })).data?.["size"] === "7Gi",
      "the child is there",
    );

    const lease = await client.get(Lease, { namespace: own, name: "volumes" });
    const leader = lease.spec?.holderIdentity?.split("_")[0] ?? "";
    assert.match(leader, /^volumes-/u, "a pod holds the lease");
    assert.match(lease.metadata.annotations?.["capstan.dev/inventory"] ?? "", /ConfigMap/u);
    await client.get(Secret, { namespace: own, name: "volumes-webhook-certificates" });

    await client.delete(Pod, { namespace: own, name: leader, gracePeriodSeconds: 1 });
    // The other replica serves for both, and takes over the lease.
    await until(
      async () => (await write(VolumeV2, "after", { size: "1Gi" })).spec.profile === "small",
      "a write is completed again",
    );
    await until(
      async () => (await client.get(ConfigMap, { namespace, name: "after" })).data?.["size"] === "1Gi",
      "the other works",
    );
    assert.doesNotMatch(await logs(), /forbidden/u, "the rights suffice");
  },
);

/** Removes first what the webhooks would block. */
async function remove(client: Client, namespace: string): Promise<void> {
  const cluster = { version: "v1", scope: "Cluster" } as const;
  const admission = { ...cluster, group: "admissionregistration.k8s.io" };
  const leftovers: readonly Kind<KubeObject, unknown, "Cluster">[] = [
    { ...admission, kind: "MutatingWebhookConfiguration", plural: "mutatingwebhookconfigurations" },
    { ...admission, kind: "ValidatingWebhookConfiguration", plural: "validatingwebhookconfigurations" },
  ];
  const ignore = (): undefined => undefined;
  for (const kind of leftovers) await client.delete(kind, { name: "volumes.pods.example.com" }).catch(ignore);
  const crds = {
    ...cluster,
    group: "apiextensions.k8s.io",
    kind: "CustomResourceDefinition",
    plural: "customresourcedefinitions",
  };
  const crd: Kind<KubeObject, unknown, "Cluster"> = crds;
  await client.delete(crd, { name: "volumes.pods.example.com" }).catch(ignore);
  const end = systemClock.now() + 60_000;
  while (
    systemClock.now() < end &&
    (await client.get(crd, { name: "volumes.pods.example.com" }).catch(ignore)) !== undefined
  ) {
    await sleep(systemClock, 100);
  }
  await client.delete(ClusterRole, { name: namespace }).catch(ignore);
  await client.delete(ClusterRoleBinding, { name: namespace }).catch(ignore);
  await client.delete(Namespace, { name: namespace }).catch(ignore);
}
