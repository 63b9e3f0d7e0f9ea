import assert from "node:assert/strict";
import { test } from "node:test";
import { isApiError } from "@capstan/client";
import { StatefulSet } from "@capstan/kinds/apps/v1";
import { Event } from "@capstan/kinds/events.k8s.io/v1";
import { IPAddress, ServiceCIDR } from "@capstan/kinds/networking.k8s.io/v1";
import { VolumeAttributesClass } from "@capstan/kinds/storage.k8s.io/v1";
import { ConfigMap, Namespace, Pod, ReplicationController, ResourceQuota, Service } from "@capstan/kinds/v1";
import { startCluster } from "@capstan/cluster";
import { until } from "./until.ts";

const namespace = "default";

test("a quota holds under concurrent creates, and the owner reports it", async () => {
  await using cluster = await startCluster();
  const { client } = cluster;
  await client.create(ResourceQuota, { metadata: { name: "two", namespace }, spec: { hard: { pods: "2" } } });
  await until("the quota is counted", async () => {
    return (await client.get(ResourceQuota, { namespace, name: "two" })).status?.used?.["pods"] !== undefined;
  });
  const labels = { app: "many" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "x", image: "x" }] } };
  const metadata = { name: "many", namespace };
  await client.create(ReplicationController, { metadata, spec: { replicas: 5, selector: labels, template } });
  const condition = await until("the owner says that it failed", async () => {
    const { status } = await client.get(ReplicationController, { namespace, name: "many" });
    return status?.conditions?.find(({ type }) => type === "ReplicaFailure");
  });
  assert.match(condition.message ?? "", /exceeded quota: two, requested: pods=1, used: pods=2, limited: pods=2/);
  const { status } = await client.get(ResourceQuota, { namespace, name: "two" });
  assert.equal(status?.used?.["pods"], "2");
});

test("a terminating namespace keeps other objects until its pods are gone", async () => {
  await using cluster = await startCluster();
  const { client } = cluster;
  const room = "room";
  await client.create(Namespace, { metadata: { name: room } });
  await client.create(ConfigMap, { metadata: { name: "used", namespace: room } });
  const finalizers = ["example.com/held"];
  await until("a pod can be made", () =>
    client.create(Pod, {
      metadata: { name: "user", namespace: room, finalizers },
      spec: { containers: [{ name: "x", image: "x" }] },
    }),
  );
  await client.delete(Namespace, { name: room });
  await until("the namespace says that a pod holds it", async () => {
    const { status } = await client.get(Namespace, { name: room });
    return status?.conditions?.some(({ message = "" }) => message.includes("pods. has 1 resource instances"));
  });
  await client.get(ConfigMap, { namespace: room, name: "used" });
  await client.patch(Pod, { namespace: room, name: "user" }, { merge: { metadata: { finalizers: null } } });
  await until("the namespace is gone", async () => {
    return client.get(Namespace, { name: room }).then(
      () => false,
      (error: unknown) => isApiError(error, "NotFound"),
    );
  });
});

test("an unused VolumeAttributesClass is deleted on request", async () => {
  await using cluster = await startCluster();
  const { client } = cluster;
  const name = "fast";
  await client.create(VolumeAttributesClass, {
    metadata: { name },
    driverName: "disk.example.com",
    parameters: { a: "b" },
  });
  await client.delete(VolumeAttributesClass, { name });
  await until("it is gone", async () => {
    return client.get(VolumeAttributesClass, { name }).then(
      () => false,
      (error: unknown) => isApiError(error, "NotFound"),
    );
  });
});

test("a pod that fits nowhere has an event with the reason", async () => {
  await using cluster = await startCluster();
  const { client } = cluster;
  const spec = { nodeSelector: { disk: "fast" }, containers: [{ name: "x", image: "x" }] };
  await client.create(Pod, { metadata: { name: "picky", namespace }, spec });
  const event = await until("the scheduler recorded an event", async () => {
    const { items } = await client.list(Event, { namespace }).all();
    return items.find(({ reason, regarding }) => reason === "FailedScheduling" && regarding?.name === "picky");
  });
  assert.match(event.metadata.name, /^picky\.[0-9a-f]{16}$/);
  assert.match(event.note ?? "", /didn't match Pod's node affinity\/selector/);
});

test("a pod that its node rejected is replaced", async () => {
  await using cluster = await startCluster();
  const { client } = cluster;
  const labels = { app: "db" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "x", image: "x" }] } };
  const metadata = { name: "db", namespace };
  const spec = { replicas: 1, serviceName: "db", selector: { matchLabels: labels }, template };
  await client.create(StatefulSet, { metadata, spec });
  const refuse = async (): Promise<string> => {
    const { uid } = (
      await until("the member is there", () => client.get(Pod, { namespace, name: "db-0" }).catch(() => undefined))
    ).metadata;
    const merge = { metadata: { uid }, status: { phase: "Failed", reason: "NodePorts" } };
    await client.patch(Pod, { namespace, name: "db-0" }, { merge }, { subresource: "status" }).catch(() => undefined);
    return uid;
  };
  for (let round = 0; round < 3; round++) {
    const uid = await refuse();
    await until("another member has its place", async () => {
      const pod = await client.get(Pod, { namespace, name: "db-0" }).catch(() => undefined);
      return pod !== undefined && pod.metadata.uid !== uid;
    });
  }
});

test("a ServiceCIDR is ready, and stays while a service uses an address of it", async () => {
  await using cluster = await startCluster();
  const { client } = cluster;
  const range = { metadata: { name: "more" }, spec: { cidrs: ["10.9.0.0/24"] } };
  await client.create(ServiceCIDR, range);
  await until("the range is ready", async () => {
    const { status } = await client.get(ServiceCIDR, { name: "more" });
    return status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True");
  });
  const parentRef = { group: "", resource: "services", namespace, name: "kubernetes" };
  await client.create(IPAddress, { metadata: { name: "10.9.0.7" }, spec: { parentRef } });
  const service = await client.create(Service, {
    metadata: { name: "web", namespace },
    spec: { ports: [{ port: 80 }] },
  });
  const address = service.spec?.clusterIP ?? "";
  await until("the service's address is known", () => client.get(IPAddress, { name: address }).catch(() => undefined));
  await client.delete(ServiceCIDR, { name: "more" });
  await until("the range says that it waits", async () => {
    const { status } = await client.get(ServiceCIDR, { name: "more" });
    return status?.conditions?.some(({ reason }) => reason === "Terminating");
  });
  await client.delete(IPAddress, { name: "10.9.0.7" });
  await until("the range is gone", () => isGone(client.get(ServiceCIDR, { name: "more" })));
  await client.delete(Service, { namespace, name: "web" });
  await until("the service's address is free", () => isGone(client.get(IPAddress, { name: address })));
});

async function isGone(reading: Promise<unknown>): Promise<boolean> {
  return reading.then(
    () => false,
    (error: unknown) => isApiError(error, "NotFound"),
  );
}
