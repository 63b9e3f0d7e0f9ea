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

/** What a user pipes to kubectl. */
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

/** Looks until there is something to be seen. */
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

/** The kubeconfig of the operator's own account: it may do what the generated roles allow and no more. */
async function ownConfig(kube: Kube, kubeconfig: string): Promise<string> {
  const path = `/api/v1/namespaces/${SYSTEM}/serviceaccounts/etcd-operator/token`;
  const answer = (await kube.call("POST", path, { spec: { expirationSeconds: 3600 } })) as KubeObject;
  const { token } = answer["status"] as { readonly token: string };
  const config = parse(kubeconfig) as { users: { user: object }[] };
  for (const user of config.users) user.user = { token };
  return stringify(config);
}

/** The program as the Deployment starts it, where ports do not matter. */
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

test("what is generated installs on a cluster, its roles suffice, and pods of backups run the operator's own image", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "etcd-install-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const cluster = await startCluster({ port: 0 });
  t.after(() => cluster.stop());
  const [admin, own] = [join(folder, "admin"), join(folder, "own")];
  await writeFile(admin, cluster.kubeconfig ?? "");
  const kube = await openKube(admin);

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

test("the chart has the same image and the same kinds", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "etcd-chart-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const told = await generate("helm", "--out", folder);
  for (const part of ["Chart.yaml", "values.yaml", "crds", "templates"]) assert.match(told, new RegExp(part, "u"));
});
