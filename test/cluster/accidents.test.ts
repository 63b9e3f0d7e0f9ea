import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test, type TestContext } from "node:test";
import { Deployment } from "@capstan/kinds/apps/v1";
import { PodDisruptionBudget } from "@capstan/kinds/policy/v1";
import { Node, Pod } from "@capstan/kinds/v1";
import { DEFAULT_RELEASE, kubernetesProgram, programPath } from "@capstan/kubernetes";
import { findCondition } from "@capstan/model";
import { etcdctl, etcdImage, members, startEtcd, untilMembers } from "./etcd-set.ts";
import { stages, type Target } from "./target.ts";
import { until } from "./until.ts";

const patience = 300_000;

for (const { name, skip, open } of stages) {
  test(`on ${name} with two nodes, three etcd members with separate disks`, { skip }, async (t) => {
    const target = await open(t, [etcdImage, "memcached"], { own: true, nodes: 2 });
    await startEtcd(target);
    await until("a value is written", () => etcdctl(target, "etcd-0", ["put", "color", "green"]));
    await t.test("go on while one is cut off, which catches up when the line is healed", () => cutAndHeal(target));
    await t.test("go on while a node is lost, and its member comes back with its data", () => loseNode(target));
    await t.test("are drained only as far as a disruption budget allows", (inner) => drain(inner, target));
    await t.test("keep their data when everything is killed and started again", () => loseEverything(target));
  });
}

async function cutAndHeal(target: Target): Promise<void> {
  const { client, namespace, accidents } = target;
  await accidents.cut("etcd-0");
  await until("the others agree on a new value", () => etcdctl(target, "etcd-1", ["put", "color", "blue"]));
  // Requests sent meanwhile may still arrive when the network is restored, so it is another key.
  assert.equal(await etcdctl(target, "etcd-0", ["put", "shape", "round"]), undefined);
  await until("etcd has seen that a peer is gone", async () => {
    const log = await client.logs({ namespace, name: "etcd-0" }).text();
    return /peer-unreachable|lost TCP streaming|prober detected unhealthy|dial tcp .*(timeout|deadline)/.test(log);
  });
  await accidents.heal("etcd-0");
  await untilRead(target, "etcd-0", "blue");
  await until("it takes part again", () => etcdctl(target, "etcd-0", ["put", "color", "white"]));
}

async function loseNode(target: Target): Promise<void> {
  const { client, namespace, accidents } = target;
  const { node, member, others } = await lonelyMember(target);
  const { uid } = (await client.get(Pod, { namespace, name: member })).metadata;
  await accidents.killNode(node);
  await until("the others agree on a new value", () => etcdctl(target, others[0] ?? "", ["put", "color", "red"]));
  await until(
    "the cluster has noticed",
    async () => {
      const { status } = await client.get(Node, { name: node });
      return findCondition(status?.conditions, "Ready")?.status === "Unknown";
    },
    patience,
  );
  await until("nobody is sent to the lost member", async () => {
    const { status } = await client.get(Pod, { namespace, name: member });
    return findCondition(status?.conditions, "Ready")?.status === "False";
  });
  await accidents.restartNode(node);
  await untilMembers(target);
  await untilRead(target, member, "red");
  // The same pod with the same disk, with a restarted container.
  const back = await client.get(Pod, { namespace, name: member });
  assert.equal(back.metadata.uid, uid);
  assert.ok((back.status?.containerStatuses?.[0]?.restartCount ?? 0) >= 1);
}

async function drain(t: TestContext, { client, namespace, kubeconfig }: Target): Promise<void> {
  const labels = { app: "cache" };
  await client.create(Deployment, cache(namespace, labels));
  await client.create(PodDisruptionBudget, {
    metadata: { name: "cache", namespace },
    spec: { minAvailable: 2, selector: { matchLabels: labels } },
  });
  const available = async (): Promise<number | undefined> =>
    (await client.get(Deployment, { namespace, name: "cache" })).status?.availableReplicas;
  await until("both servers are available", async () => (await available()) === 2);
  await until("the budget has counted", async () => {
    return (await client.get(PodDisruptionBudget, { namespace, name: "cache" })).status?.currentHealthy === 2;
  });
  const [first] = (await client.list(Pod, { namespace, labelSelector: "app=cache" }).all()).items;
  const node = first?.spec?.nodeName ?? "";
  const draining = kubectl(t, kubeconfig, ["drain", node, "--pod-selector=app=cache", "--timeout=600s"]);
  await until("the budget holds the drain back", () => /violate the pod's disruption budget/.test(draining.said()));
  assert.equal(await available(), 2);
  await client.scale(Deployment, { namespace, name: "cache" }, 3);
  assert.equal(await draining.code, 0, draining.said());
  await until("all servers are on the other node", async () => {
    const pods = (await client.list(Pod, { namespace, labelSelector: "app=cache" }).all()).items;
    return pods.every(({ spec }) => spec?.nodeName !== node) && (await available()) === 3;
  });
  assert.equal(await kubectl(t, kubeconfig, ["uncordon", node]).code, 0);
}

async function loseEverything(target: Target): Promise<void> {
  await target.accidents.restartEverything();
  await untilMembers(target);
  for (const member of members) await untilRead(target, member, "red");
  await until("they agree on a new value", () => etcdctl(target, "etcd-2", ["put", "color", "black"]));
}

/** A member returns what is on its own disk, without contacting the others. */
async function untilRead(target: Target, member: string, value: string): Promise<void> {
  const words = ["get", "color", "--consistency=s", "--print-value-only"];
  await until(
    `${member} has the value ${value}`,
    async () => (await etcdctl(target, member, words)) === value,
    patience,
  );
}

/** The node with only one member. */
async function lonelyMember({ client, namespace }: Target) {
  const pods = (await client.list(Pod, { namespace, labelSelector: "app=etcd" }).all()).items;
  const places = Map.groupBy(pods, ({ spec }) => spec?.nodeName ?? "");
  assert.equal(places.size, 2);
  const [node = "", [pod] = []] = [...places].find(([, there]) => there.length === 1) ?? [];
  const member = pod?.metadata.name ?? "";
  return { node, member, others: members.filter((other) => other !== member) };
}

/** A running kubectl; it ends with the test. */
function kubectl(t: TestContext, kubeconfig: string, words: readonly string[]) {
  const program = programPath(kubernetesProgram("kubectl", DEFAULT_RELEASE.kubernetes));
  const child = spawn(program, ["--kubeconfig", kubeconfig, ...words], { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString("utf8")));
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString("utf8")));
  const code = once(child, "close").then(([value]) => value as number | null);
  t.after(() => child.kill());
  return { said: () => said, code };
}

function cache(namespace: string, labels: { readonly app: string }) {
  const container = {
    name: "memcached",
    image: "capstan.test/memcached:1.6",
    readinessProbe: { tcpSocket: { port: 11_211 }, periodSeconds: 1 },
  };
  const template = { metadata: { labels }, spec: { terminationGracePeriodSeconds: 1, containers: [container] } };
  return {
    metadata: { name: "cache", namespace },
    spec: { replicas: 2, selector: { matchLabels: labels }, template },
  };
}
