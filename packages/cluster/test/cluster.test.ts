import assert from "node:assert/strict";
import { test } from "node:test";
import { isApiError } from "@capstan/client";
import { Deployment, ReplicaSet } from "@capstan/kinds/apps/v1";
import { EndpointSlice } from "@capstan/kinds/discovery.k8s.io/v1";
import { ConfigMap, Namespace, Pod, Service, ServiceAccount } from "@capstan/kinds/v1";
import { createLog, systemClock } from "@capstan/runtime";
import { startCluster } from "@capstan/cluster";
import { until } from "./until.ts";

const log = process.env["DEBUG"] === undefined ? undefined : createLog({ clock: systemClock, level: "debug" });
const start = (): ReturnType<typeof startCluster> => startCluster(log === undefined ? {} : { log });

const labels = { app: "web" };
const namespace = "default";

function web(replicas: number, image = "web:1") {
  return {
    metadata: { name: "web", namespace },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "web", image }] } },
    },
  };
}

test("a namespace gets a service account and root CA, and is deleted with its content", async () => {
  await using cluster = await start();
  const { client } = cluster;
  await client.create(Namespace, { metadata: { name: "room" } });
  await until("the namespace is furnished", async () => {
    const accounts = await client.list(ServiceAccount, { namespace: "room" }).all();
    const maps = await client.list(ConfigMap, { namespace: "room" }).all();
    return accounts.items.length === 1 && maps.items.length === 1;
  });
  await client.create(ConfigMap, { metadata: { name: "thing", namespace: "room" } });
  await client.delete(Namespace, { name: "room" });
  await until("the namespace is gone", () => isGone(client.get(Namespace, { name: "room" })));
  await assert.rejects(client.get(ConfigMap, { namespace: "room", name: "thing" }), (error) =>
    isApiError(error, "NotFound"),
  );
});

async function isGone(reading: Promise<unknown>): Promise<boolean> {
  try {
    await reading;
    return false;
  } catch (error) {
    if (isApiError(error, "NotFound")) return true;
    throw error;
  }
}

test("a deployment becomes available, updates, scales, and is deleted with its pods", async () => {
  await using cluster = await start();
  const { client } = cluster;
  await client.create(Deployment, web(3));
  await client.create(Service, {
    metadata: { name: "web", namespace },
    spec: { selector: labels, ports: [{ port: 80 }] },
  });
  const available = await until("three pods are available", async () => {
    const { status } = await client.get(Deployment, { namespace, name: "web" });
    return (
      status?.availableReplicas === 3 &&
      status.conditions?.find(({ type }) => type === "Progressing")?.reason === "NewReplicaSetAvailable" &&
      status
    );
  });
  assert.equal(available.conditions?.find(({ type }) => type === "Available")?.status, "True");
  await until("three endpoints are ready", async () => {
    const { items } = await client
      .list(EndpointSlice, { namespace, labelSelector: "kubernetes.io/service-name=web" })
      .all();
    return items.flatMap(({ endpoints }) => endpoints ?? []).filter(({ conditions }) => conditions?.ready).length === 3;
  });
  await client.patch(Deployment, { namespace, name: "web" }, { merge: web(5, "web:2") });
  await until("five pods have the new image and no other is there", async () => {
    const { items } = await client.list(Pod, { namespace }).all();
    return items.length === 5 && items.every(({ spec }) => spec?.containers[0]?.image === "web:2");
  });
  const sets = (await client.list(ReplicaSet, { namespace }).all()).items;
  const revisions = sets.map(({ metadata }) => metadata.annotations?.["deployment.kubernetes.io/revision"] ?? "");
  assert.deepEqual(new Set(revisions), new Set(["1", "2"]));
  await client.delete(Deployment, { namespace, name: "web", propagationPolicy: "Foreground" });
  await until("everything is gone", async () => {
    const left = [client.list(Pod, { namespace }).all(), client.list(ReplicaSet, { namespace }).all()];
    return (await Promise.all(left)).every(({ items }) => items.length === 0);
  });
  await until("the deployment is gone", () => isGone(client.get(Deployment, { namespace, name: "web" })));
});

test("orphans stay when their owner is deleted", async () => {
  await using cluster = await start();
  const { client } = cluster;
  await client.create(Deployment, web(20));
  await until("twenty pods run", async () => {
    return (await client.get(Deployment, { namespace, name: "web" })).status?.availableReplicas === 20;
  });
  const [set] = (await client.list(ReplicaSet, { namespace }).all()).items;
  await client.delete(Deployment, { namespace, name: "web", propagationPolicy: "Orphan" });
  await until("the deployment is gone", () => isGone(client.get(Deployment, { namespace, name: "web" })));
  const name = set?.metadata.name ?? "";
  await client.delete(ReplicaSet, { namespace, name, propagationPolicy: "Orphan" });
  await until("the set is gone", () => isGone(client.get(ReplicaSet, { namespace, name })));
  // A marker that passes the collector after everything before it.
  await client.create(ConfigMap, { metadata: { name: "owner", namespace } });
  const { uid } = (await client.get(ConfigMap, { namespace, name: "owner" })).metadata;
  const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid }];
  await client.create(ConfigMap, { metadata: { name: "owned", namespace, ownerReferences } });
  await client.delete(ConfigMap, { namespace, name: "owner" });
  await until("the marker is collected", () => isGone(client.get(ConfigMap, { namespace, name: "owned" })));
  const pods = (await client.list(Pod, { namespace }).all()).items;
  assert.equal(pods.length, 20);
  assert.ok(pods.every(({ metadata }) => metadata.deletionTimestamp === undefined));
});

test("exec in simulated pods fails with a message that kubectl shows", async () => {
  await using cluster = await start();
  const { client } = cluster;
  const containers = [{ name: "main", image: "web:1" }];
  await client.create(Pod, { metadata: { name: "p", namespace }, spec: { containers } });
  await until("it runs", async () => (await client.get(Pod, { namespace, name: "p" })).status?.phase === "Running");
  for (const path of ["exec?command=ls&stdout=true", "attach?stdout=true", "portforward?ports=80"]) {
    const headers = { connection: "Upgrade", upgrade: "SPDY/3.1" };
    const answer = await cluster.fetch(
      new Request(`http://cluster/api/v1/namespaces/default/pods/p/${path}`, { headers }),
    );
    assert.equal(answer.status, 400);
    // kubectl parses anything that may be YAML as a Status and would show nothing of it.
    assert.match(await answer.text(), /^this pod is simulated[^:]* --pods real runs it$/u);
  }
});
