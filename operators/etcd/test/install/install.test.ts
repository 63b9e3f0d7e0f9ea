import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { startCluster } from "@capstan/cluster";
import { parse, parseAllDocuments, stringify } from "yaml";
import { openKube } from "../stories/kube.ts";
import type { Kube, KubeObject } from "../stories/kube.ts";

const IMAGE = "registry.example.com/etcd-operator:v1";
const SYSTEM = "etcd-operator-system";
const operator = join(import.meta.dirname, "../..");
const node = ["--conditions=@capstan/source"];

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** The manifests that a user pipes to kubectl. */
async function generate(what: string, ...words: string[]): Promise<string> {
  const cli = join(operator, "../../apps/cli/src/main.ts");
  const args = [...node, cli, "generate", what, "--image", IMAGE, ...words];
  return (await promisify(execFile)(process.execPath, args, { cwd: operator, maxBuffer: 2 ** 26 })).stdout;
}

type Cluster = Awaited<ReturnType<typeof startCluster>>;

async function install({ client }: Cluster, text: string): Promise<readonly Manifest[]> {
  const objects = parseAllDocuments(text).map((document) => document.toJS() as Manifest);
  for (const object of objects) {
    const [version = "", group = ""] = object.apiVersion.split("/").toReversed();
    const kind = await client.resourceFor({ group, version, kind: object.kind });
    await client.apply(kind, object as never, { fieldManager: "kubectl" });
  }
  return objects;
}

/** Polls until there is a value. */
async function seen<T>(look: () => Promise<T | undefined>, what: string): Promise<T> {
  const deadline = Date.now() + 180_000;
  while (Date.now() < deadline) {
    const found = await look();
    if (found !== undefined) return found;
    await pause(200);
  }
  assert.fail(`${what} was not to be seen`);
}

async function podWith(kube: Kube, namespace: string, label: string): Promise<KubeObject> {
  const path = `/api/v1/namespaces/${namespace}/pods?labelSelector=${encodeURIComponent(label)}`;
  return await seen(async () => (await kube.list(path))[0], `a pod with ${label}`);
}

/** A kubeconfig of the operator's service account, which has only the rights of the generated roles. */
async function ownConfig(kube: Kube, kubeconfig: string): Promise<string> {
  const path = `/api/v1/namespaces/${SYSTEM}/serviceaccounts/etcd-operator/token`;
  const answer = (await kube.call("POST", path, { spec: { expirationSeconds: 3600 } })) as KubeObject;
  const { token } = answer["status"] as { readonly token: string };
  const config = parse(kubeconfig) as { users: { user: object }[] };
  for (const user of config.users) user.user = { token };
  return stringify(config);
}

/** Runs the program as the Deployment starts it, with any ports. */
function runOperator(test: TestContext, environment: { readonly [variable: string]: string }): { said: string } {
  const flags = ["--leader-elect", `--leader-election-namespace=${SYSTEM}`, "--install-crds=false"];
  const closed = ["--metrics-bind-address=0", "--health-probe-bind-address=0"];
  const child = spawn(process.execPath, [...node, join(operator, "src/main.ts"), ...flags, ...closed], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"], ...environment },
  });
  const log = { said: "" };
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => void (log.said += String(chunk)));
  const gone = once(child, "exit");
  test.after(async () => {
    child.kill("SIGTERM");
    test.diagnostic(log.said.slice(-3000));
    await gone;
  });
  return log;
}

/** A cluster to install on: an administrator's client, and a path for the operator's kubeconfig. */
async function openSite(t: TestContext): Promise<{ cluster: Cluster; kube: Kube; own: string }> {
  const folder = await mkdtemp(join(tmpdir(), "etcd-install-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const cluster = await startCluster({ port: 0 });
  t.after(() => cluster.stop());
  const admin = join(folder, "admin");
  await writeFile(admin, cluster.kubeconfig ?? "");
  return { cluster, kube: await openKube(admin), own: join(folder, "own") };
}

test("the generated manifests install, and their roles suffice for backup pods", async (t) => {
  const { cluster, kube, own } = await openSite(t);

  const objects = await install(cluster, await generate("manifests"));
  assert.equal(objects.filter(({ kind }) => kind === "CustomResourceDefinition").length, 4);
  const pod = await podWith(kube, SYSTEM, "app.kubernetes.io/name=etcd-operator");
  await writeFile(own, await ownConfig(kube, cluster.kubeconfig ?? ""));
  const log = runOperator(t, { KUBECONFIG: own, POD_NAMESPACE: SYSTEM, HOSTNAME: pod.metadata.name });

  const api = "/apis/etcd.capstan.dev/v1/namespaces/default";
  const apply = (plural: string, kind: string, spec: object) =>
    kube.apply(`${api}/${plural}/orders`, {
      apiVersion: "etcd.capstan.dev/v1",
      kind,
      metadata: { name: "orders" },
      spec,
    });
  await apply("etcdrestores", "EtcdRestore", { cluster: "copy", store: { volume: { claim: "backups" } } });
  const agent = await podWith(kube, "default", "etcd.capstan.dev/purpose=describe");
  const { containers } = agent["spec"] as { readonly containers: readonly { readonly image: string }[] };
  assert.deepEqual(
    containers.map(({ image }) => image),
    [IMAGE],
  );
  await apply("etcdclusters", "EtcdCluster", { size: 3, version: "3.6.16" });
  const member = await podWith(kube, "default", "etcd.capstan.dev/cluster=orders");
  assert.equal(member.metadata.name, "orders-0");
  for (const path of [
    "/api/v1/namespaces/default/services/orders-client",
    "/api/v1/namespaces/default/secrets/orders-client",
  ])
    await seen(() => kube.get(path), path);
  assert.doesNotMatch(log.said, /forbidden/iu);
});

/** Everything that the roles of a kind allow, as `resource verb`. */
function allowedBy(objects: readonly Manifest[], kind: string): readonly string[] {
  const own = objects.filter((object) => object.kind === kind && object.metadata.name === "etcd-operator");
  return own.flatMap((object) =>
    (object as Manifest & { readonly rules: readonly Rule[] }).rules.flatMap(({ resources = [], verbs }) =>
      resources.flatMap((resource) => verbs.map((verb) => `${resource} ${verb}`)),
    ),
  );
}

interface Rule {
  readonly resources?: readonly string[];
  readonly verbs: readonly string[];
}

test("an operator for one namespace has no rights on Secrets or pods elsewhere", async (t) => {
  const { cluster, kube, own } = await openSite(t);
  const objects = await install(cluster, await generate("manifests", "--watch-namespace"));
  assert.deepEqual(allowedBy(objects, "ClusterRole").toSorted(), ["nodes get", "nodes list", "nodes watch"]);
  assert.ok(allowedBy(objects, "Role").includes("secrets create"));

  const pod = await podWith(kube, SYSTEM, "app.kubernetes.io/name=etcd-operator");
  await writeFile(own, await ownConfig(kube, cluster.kubeconfig ?? ""));
  const log = runOperator(t, {
    KUBECONFIG: own,
    POD_NAMESPACE: SYSTEM,
    HOSTNAME: pod.metadata.name,
    CAPSTAN_NAMESPACES: SYSTEM,
  });
  for (const namespace of ["default", SYSTEM])
    await kube.apply(`/apis/etcd.capstan.dev/v1/namespaces/${namespace}/etcdclusters/orders`, {
      apiVersion: "etcd.capstan.dev/v1",
      kind: "EtcdCluster",
      metadata: { name: "orders" },
      spec: { size: 3, version: "3.6.16" },
    });
  await podWith(kube, SYSTEM, "etcd.capstan.dev/cluster=orders");
  await seen(() => kube.get(`/api/v1/namespaces/${SYSTEM}/secrets/orders-client`), "its Secret");
  assert.equal(await kube.get("/api/v1/namespaces/default/secrets/orders-client"), undefined);
  assert.doesNotMatch(log.said, /forbidden/iu);
});

test("the bundle for catalogs has no warnings, and its examples are valid", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "etcd-bundle-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await generate("bundle", "--out", folder);
  const cli = join(operator, "../../apps/cli/src/main.ts");
  const words = [...node, cli, "bundle", "validate", join(folder, "bundle"), "--strict"];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, words, { cwd: operator });
  assert.match(`${stdout}${stderr}`, /completed successfully/u);
});

test("the chart has the same image and the same kinds", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "etcd-chart-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const told = await generate("helm", "--out", folder);
  for (const part of ["Chart.yaml", "values.yaml", "crds", "templates"]) assert.match(told, new RegExp(part, "u"));
});
