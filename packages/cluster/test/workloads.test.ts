import assert from "node:assert/strict";
import { test } from "node:test";
import { isApiError } from "@capstan/client";
import { ControllerRevision, DaemonSet, Deployment, StatefulSet } from "@capstan/kinds/apps/v1";
import { CronJob, Job } from "@capstan/kinds/batch/v1";
import { PodDisruptionBudget } from "@capstan/kinds/policy/v1";
import {
  Endpoints,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  ReplicationController,
  ResourceQuota,
  Service,
} from "@capstan/kinds/v1";
import { EndpointSlice } from "@capstan/kinds/discovery.k8s.io/v1";
import { ClusterRole } from "@capstan/kinds/rbac.authorization.k8s.io/v1";
import { createLog, systemClock } from "@capstan/runtime";
import { VirtualClock } from "@capstan/runtime/testing";
import { startCluster } from "@capstan/cluster";
import type { SimulatedClusterOptions } from "@capstan/cluster";
import { until } from "./until.ts";

const log = process.env["DEBUG"] === undefined ? undefined : createLog({ clock: systemClock, level: "warn" });
const start = (options: SimulatedClusterOptions = {}): ReturnType<typeof startCluster> =>
  startCluster({ ...(log && { log }), ...options });

const namespace = "default";
const labels = { app: "x" };
const selector = { matchLabels: labels };
const template = (image = "x:1") => ({ metadata: { labels }, spec: { containers: [{ name: "x", image }] } });

test("a StatefulSet creates pods in order, and updates and deletes from the last", async () => {
  await using cluster = await start();
  const { client } = cluster;
  const claims = [
    {
      metadata: { name: "data" },
      spec: { accessModes: ["ReadWriteOnce" as const], resources: { requests: { storage: "1Gi" } } },
    },
  ];
  await client.create(StatefulSet, {
    metadata: { name: "db", namespace },
    spec: { replicas: 3, serviceName: "db", selector, template: template(), volumeClaimTemplates: [] },
  });
  await until("three members are ready", async () => {
    return (await client.get(StatefulSet, { namespace, name: "db" })).status?.readyReplicas === 3;
  });
  const pods = (await client.list(Pod, { namespace }).all()).items;
  assert.deepEqual(
    pods.map(({ metadata }) => metadata.name),
    ["db-0", "db-1", "db-2"],
  );
  assert.deepEqual(
    pods.map(({ spec }) => spec?.hostname),
    ["db-0", "db-1", "db-2"],
  );
  await client.patch(StatefulSet, { namespace, name: "db" }, { merge: { spec: { template: template("x:2") } } });
  await until("all members have the new image", async () => {
    const { status } = await client.get(StatefulSet, { namespace, name: "db" });
    const { items } = await client.list(Pod, { namespace }).all();
    return (
      status?.currentRevision === status?.updateRevision &&
      items.length === 3 &&
      items.every(({ spec }) => spec?.containers[0]?.image === "x:2")
    );
  });
  assert.equal((await client.list(ControllerRevision, { namespace }).all()).items.length, 2);
  await client.scale(StatefulSet, { namespace, name: "db" }, 1);
  await until("one member is left", async () => {
    const { items } = await client.list(Pod, { namespace }).all();
    return items.length === 1 && items[0]?.metadata.name === "db-0";
  });
  await client.create(StatefulSet, {
    metadata: { name: "disk", namespace },
    spec: {
      replicas: 1,
      serviceName: "disk",
      selector: { matchLabels: { app: "disk" } },
      template: { ...template(), metadata: { labels: { app: "disk" } } },
      volumeClaimTemplates: claims as never,
    },
  });
  await until("the claim of the member is there", async () => {
    const { items } = await client.list(PersistentVolumeClaim, { namespace }).all();
    return items[0]?.metadata.name === "data-disk-0";
  });
});

test("a DaemonSet runs a pod on every node, and updates them one by one", async () => {
  await using cluster = await start({ nodes: 3 });
  const { client } = cluster;
  await client.create(DaemonSet, { metadata: { name: "agent", namespace }, spec: { selector, template: template() } });
  await until("three daemons are available", async () => {
    return (await client.get(DaemonSet, { namespace, name: "agent" })).status?.numberAvailable === 3;
  });
  const nodes = (await client.list(Pod, { namespace }).all()).items.map(({ spec }) => spec?.nodeName ?? "");
  assert.deepEqual(new Set(nodes), new Set(["node-1", "node-2", "node-3"]));
  await client.patch(DaemonSet, { namespace, name: "agent" }, { merge: { spec: { template: template("x:2") } } });
  await until("all daemons are new", async () => {
    const { status } = await client.get(DaemonSet, { namespace, name: "agent" });
    const { items } = await client.list(Pod, { namespace }).all();
    return (
      status?.updatedNumberScheduled === 3 &&
      status.numberAvailable === 3 &&
      items.every(({ spec }) => spec?.containers[0]?.image === "x:2")
    );
  });
});

test("a Job completes, an indexed one too, and fails after too many failures", async () => {
  await using cluster = await start();
  const { client, nodes } = cluster;
  nodes[0]?.runtime.setScript([
    { match: { image: "bad" }, end: { type: "exit", code: 1, after: 5 } },
    { match: { image: "good" }, end: { type: "exit", code: 0, after: 5 } },
  ]);
  const job = (name: string, image: string, spec: object) => ({
    metadata: { name, namespace },
    spec: { ...spec, template: { spec: { restartPolicy: "Never", containers: [{ name: "x", image }] } } } as never,
  });
  await client.create(Job, job("plain", "good", { completions: 3, parallelism: 2 }));
  await client.create(Job, job("indexed", "good", { completions: 4, parallelism: 4, completionMode: "Indexed" }));
  await client.create(Job, job("failing", "bad", { backoffLimit: 0 }));
  const ended = (name: string, type: string) =>
    until(`the job ${name} is ${type}`, async () => {
      const { status } = await client.get(Job, { namespace, name });
      return status?.conditions?.some((one) => one.type === type && one.status === "True") && status;
    });
  const plain = await ended("plain", "Complete");
  assert.equal(plain.succeeded, 3);
  assert.deepEqual(plain.uncountedTerminatedPods, {});
  assert.equal((await ended("indexed", "Complete")).completedIndexes, "0-3");
  const failing = await ended("failing", "Failed");
  assert.equal(failing.failed, 1);
  assert.equal(failing.conditions?.find(({ type }) => type === "Failed")?.reason, "BackoffLimitExceeded");
  await client.delete(Job, { namespace, name: "plain", propagationPolicy: "Background" });
  await until("the pods of the deleted job are gone", async () => {
    const { items } = await client.list(Pod, { namespace, labelSelector: "job-name=plain" }).all();
    return items.length === 0;
  });
});

test("a CronJob creates jobs on schedule and keeps the last three", async () => {
  const clock = new VirtualClock(Date.UTC(2030, 0, 1, 0, 0, 30));
  await using cluster = await start({ clock, heartbeat: false });
  const { client } = cluster;
  await client.create(CronJob, {
    metadata: { name: "tick", namespace },
    spec: {
      schedule: "*/10 * * * *",
      jobTemplate: {
        spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "x", image: "x" }] } } },
      },
    },
  });
  await clock.advance(3_600_000);
  const jobs = (await client.list(Job, { namespace }).all()).items;
  const { status } = await client.get(CronJob, { namespace, name: "tick" });
  assert.equal(status?.lastScheduleTime, "2030-01-01T01:00:00Z");
  assert.equal(jobs.length, 3);
});

test("a Job past its deadline finishes as soon as its pods are gone", async () => {
  const clock = new VirtualClock();
  await using cluster = await start({ clock, heartbeat: false });
  const { client } = cluster;
  const pod = {
    restartPolicy: "Never" as const,
    terminationGracePeriodSeconds: 0,
    containers: [{ name: "x", image: "x" }],
  };
  for (const { runtime } of cluster.nodes) runtime.setScript([{ end: { type: "exit", code: 0, after: 600_000 } }]);
  const spec = { activeDeadlineSeconds: 5, template: { spec: pod } };
  await client.create(Job, { metadata: { name: "late", namespace }, spec });
  await clock.advance(20_000);
  const { status } = await client.get(Job, { namespace, name: "late" });
  assert.deepEqual(
    status?.conditions?.map(({ type, reason }) => [type, reason]),
    [
      ["FailureTarget", "DeadlineExceeded"],
      ["Failed", "DeadlineExceeded"],
    ],
  );
  assert.equal(status?.terminating ?? 0, 0);
});

test("a ReplicationController keeps pods, and a budget limits evictions of them", async () => {
  await using cluster = await start();
  const { client } = cluster;
  await client.create(ReplicationController, {
    metadata: { name: "old", namespace },
    spec: { replicas: 2, selector: labels, template: template() },
  });
  await client.create(Service, {
    metadata: { name: "old", namespace },
    spec: { selector: labels, ports: [{ port: 80 }] },
  });
  await client.create(PodDisruptionBudget, {
    metadata: { name: "all", namespace },
    spec: { minAvailable: 2, selector },
  });
  await until("the budget counts two", async () => {
    return (await client.get(PodDisruptionBudget, { namespace, name: "all" })).status?.currentHealthy === 2;
  });
  await until("the endpoints name two", async () => {
    const found = await client.list(Endpoints, { namespace, fieldSelector: "metadata.name=old" }).all();
    return found.items[0]?.subsets?.[0]?.addresses?.length === 2;
  });
  const [pod] = (await client.list(Pod, { namespace }).all()).items;
  await assert.rejects(client.evict({ namespace, name: pod?.metadata.name ?? "" }), (error) =>
    isApiError(error, "TooManyRequests"),
  );
  await client.scale(ReplicationController, { namespace, name: "old" }, 3);
  await until("one may be disturbed", async () => {
    return (await client.get(PodDisruptionBudget, { namespace, name: "all" })).status?.disruptionsAllowed === 1;
  });
  await client.evict({ namespace, name: pod?.metadata.name ?? "" });
});

test("a pod of higher priority preempts one of lower priority", async () => {
  await using cluster = await start({ capacity: { cpu: "1", memory: "1Gi", pods: "10" } });
  const { client } = cluster;
  const pod = (name: string, priorityClassName?: string) => ({
    metadata: { name, namespace },
    spec: {
      ...(priorityClassName && { priorityClassName }),
      containers: [{ name: "x", image: "x", resources: { requests: { cpu: "800m" } } }],
    },
  });
  await client.create(Pod, pod("lesser"));
  await until(
    "the lesser runs",
    async () => (await client.get(Pod, { namespace, name: "lesser" })).status?.phase === "Running",
  );
  await client.create(Pod, pod("equal"));
  await until("the equal is refused", async () => {
    const { status } = await client.get(Pod, { namespace, name: "equal" });
    const condition = status?.conditions?.find(({ type }) => type === "PodScheduled");
    return condition?.message?.startsWith("0/1 nodes are available: 1 Insufficient cpu.");
  });
  await client.delete(Pod, { namespace, name: "equal", gracePeriodSeconds: 0 });
  await client.create(Pod, { ...pod("greater", "system-cluster-critical"), metadata: { name: "greater", namespace } });
  await until(
    "the greater runs",
    async () => (await client.get(Pod, { namespace, name: "greater" })).status?.phase === "Running",
  );
});

test("a rollout with a missing image stops, and a rollback completes", async () => {
  await using cluster = await start();
  const { client, nodes } = cluster;
  nodes[0]?.runtime.setScript([{ match: { image: "missing*" }, pullError: "not found" }]);
  await client.create(Deployment, {
    metadata: { name: "web", namespace },
    spec: { replicas: 4, selector, template: template() },
  });
  const settled = (): Promise<unknown> =>
    until("four are available", async () => {
      const { status, metadata } = await client.get(Deployment, { namespace, name: "web" });
      return (
        status?.availableReplicas === 4 && status.replicas === 4 && status.observedGeneration === metadata.generation
      );
    });
  await settled();
  await client.patch(Deployment, { namespace, name: "web" }, { merge: { spec: { template: template("missing:1") } } });
  await until("two are tried", async () => {
    return (await client.get(Deployment, { namespace, name: "web" })).status?.updatedReplicas === 2;
  });
  assert.equal((await client.get(Deployment, { namespace, name: "web" })).status?.availableReplicas, 3);
  const annotations = { "deprecated.deployment.rollback.to": "0" };
  await client.patch(Deployment, { namespace, name: "web" }, { merge: { metadata: { annotations } } });
  await settled();
  const images = (await client.list(Pod, { namespace }).all()).items
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ spec }) => spec?.containers[0]?.image);
  assert.deepEqual(images, ["x:1", "x:1", "x:1", "x:1"]);
});

test("a claim is bound, protected while a pod uses it, and deleted with its volume", async () => {
  await using cluster = await start();
  const { client } = cluster;
  const claim = { accessModes: ["ReadWriteOnce" as const], resources: { requests: { storage: "1Gi" } } };
  await client.create(PersistentVolumeClaim, { metadata: { name: "data", namespace }, spec: claim });
  const bound = await until("the claim is bound", async () => {
    const read = await client.get(PersistentVolumeClaim, { namespace, name: "data" });
    return read.status?.phase === "Bound" && read;
  });
  const volume = bound.spec?.volumeName ?? "";
  await client.create(Pod, {
    metadata: { name: "user", namespace },
    spec: {
      containers: [{ name: "x", image: "x" }],
      volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }],
    },
  });
  await until(
    "the pod runs",
    async () => (await client.get(Pod, { namespace, name: "user" })).status?.phase === "Running",
  );
  await client.delete(PersistentVolumeClaim, { namespace, name: "data" });
  const waiting = await client.get(PersistentVolumeClaim, { namespace, name: "data" });
  assert.notEqual(waiting.metadata.deletionTimestamp, undefined);
  await client.delete(Pod, { namespace, name: "user", gracePeriodSeconds: 0 });
  await until("claim and volume are gone", async () => {
    const claims = await client.list(PersistentVolumeClaim, { namespace }).all();
    const volumes = await client.list(PersistentVolume, {}).all();
    return claims.items.length === 0 && !volumes.items.some(({ metadata }) => metadata.name === volume);
  });
});

test("quotas are counted, cluster roles aggregated and Endpoints mirrored", async () => {
  await using cluster = await start();
  const { client } = cluster;
  await client.create(ResourceQuota, {
    metadata: { name: "quota", namespace },
    spec: { hard: { pods: "5", "requests.cpu": "1", configmaps: "10", "count/deployments.apps": "3" } },
  });
  await client.create(Pod, {
    metadata: { name: "small", namespace },
    spec: { containers: [{ name: "x", image: "x", resources: { requests: { cpu: "250m" } } }] },
  });
  await until("the pod counts", async () => {
    const used = (await client.get(ResourceQuota, { namespace, name: "quota" })).status?.used;
    return used?.["pods"] === "1" && used["requests.cpu"] === "250m" && used["configmaps"] === "1";
  });
  const part = { "part-of": "whole" };
  const rules = [{ apiGroups: ["example.com"], resources: ["things"], verbs: ["get"] }];
  await client.create(ClusterRole, { metadata: { name: "part", labels: part }, rules });
  await client.create(ClusterRole, {
    metadata: { name: "whole" },
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: part }] },
    rules: [],
  });
  await until("the role has the rules of its parts", async () => {
    return (await client.get(ClusterRole, { name: "whole" })).rules?.[0]?.resources?.[0] === "things";
  });
  await client.create(Service, { metadata: { name: "own", namespace }, spec: { ports: [{ port: 80 }] } });
  await client.create(Endpoints, {
    metadata: { name: "own", namespace },
    subsets: [{ addresses: [{ ip: "10.1.2.3" }], ports: [{ port: 8080 }] }],
  });
  await until("the endpoints are mirrored", async () => {
    const labelSelector = "kubernetes.io/service-name=own";
    const { items } = await client.list(EndpointSlice, { namespace, labelSelector }).all();
    return items[0]?.endpoints?.[0]?.addresses[0] === "10.1.2.3";
  });
});

test("a NoExecute taint moves the pods of a node to another one", async () => {
  await using cluster = await start({ nodes: 2 });
  const { client } = cluster;
  await client.create(Deployment, {
    metadata: { name: "web", namespace },
    spec: { replicas: 4, selector, template: template() },
  });
  await until("four are available", async () => {
    return (await client.get(Deployment, { namespace, name: "web" })).status?.availableReplicas === 4;
  });
  const taints = [{ key: "broken", effect: "NoExecute" as const }];
  await client.patch(Node, { name: "node-1" }, { merge: { spec: { taints } } });
  await until("all run on the other node", async () => {
    const { items } = await client.list(Pod, { namespace }).all();
    return (
      items.length === 4 &&
      items.every(({ spec, status }) => spec?.nodeName === "node-2" && status?.phase === "Running")
    );
  });
});

test("a node that is out of service loses its terminating pods", async () => {
  await using cluster = await start({ nodes: 2 });
  const { client } = cluster;
  const set = { replicas: 1, serviceName: "web", selector, template: template() };
  await client.create(StatefulSet, { metadata: { name: "web", namespace }, spec: set });
  const isRunning = async (): Promise<Pod | undefined> => {
    const pod = await client.get(Pod, { namespace, name: "web-0" }).catch(() => undefined);
    return pod?.status?.phase === "Running" ? pod : undefined;
  };
  const first = await until("it runs", isRunning);
  const name = first.spec?.nodeName ?? "";
  await cluster.nodes.find((node) => node.name === name)?.close("lost");
  await client.delete(Pod, { namespace, name: "web-0" });
  const conditions = [{ type: "Ready", status: "Unknown" }];
  await client.patch(Node, { name }, { strategic: { status: { conditions } } }, { subresource: "status" });
  assert.equal((await client.get(Pod, { namespace, name: "web-0" })).metadata.uid, first.metadata.uid);
  const taints = [{ key: "node.kubernetes.io/out-of-service", value: "nodeshutdown", effect: "NoExecute" as const }];
  await client.patch(Node, { name }, { merge: { spec: { taints } } });
  const second = await until("it runs elsewhere", async () => {
    const pod = await isRunning();
    return pod?.metadata.uid === first.metadata.uid ? undefined : pod;
  });
  assert.notEqual(second.spec?.nodeName, name);
});
