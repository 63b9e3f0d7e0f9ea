/** The events of workloads: their sources and messages. */
import { DaemonSet, Deployment, StatefulSet } from "@capstan/kinds/apps/v1";
import { Job } from "@capstan/kinds/batch/v1";
import { Event, PersistentVolumeClaim, Pod, ReplicationController } from "@capstan/kinds/v1";
import { until } from "./until.ts";
import type { World } from "./worlds.ts";

const labels = { app: "told" };
const selector = { matchLabels: labels };
const template = { metadata: { labels }, spec: { containers: [{ name: "x", image: "x" }] } };
const kinds: ReadonlySet<string> = new Set([
  "DaemonSet",
  "Deployment",
  "Job",
  "ReplicaSet",
  "ReplicationController",
  "StatefulSet",
]);

/** All events of the workloads, with generated names replaced. */
async function told({ client, namespace }: World): Promise<readonly string[]> {
  const { items } = await client.list(Event, { namespace }).all();
  return items
    .filter(({ involvedObject: { kind = "", name = "" } }) => kinds.has(kind) && name.startsWith("told"))
    .map(({ involvedObject: { kind }, source, reportingComponent, type, reason, message = "" }) => {
      const from = source?.component ?? reportingComponent;
      return `${kind} ${from} ${type} ${reason}: ${message.replaceAll(/(told\w*(?:-\d)?)-[0-9a-z]{4,}(-[0-9a-z]{5})?\b/g, "$1-H")}`;
    })
    .sort();
}

/** Workloads that start, scale up and down, jobs that run, suspend and resume, and a set with a claim. */
export async function eventsOfWorkloads(world: World): Promise<object> {
  const { client, namespace } = world;
  const metadata = (name: string) => ({ name, namespace });
  await client.create(Deployment, { metadata: metadata("tolddeployment"), spec: { selector, template } });
  await client.create(DaemonSet, { metadata: metadata("tolddaemons"), spec: { selector, template } });
  await client.create(ReplicationController, {
    metadata: metadata("toldreplicas"),
    spec: { selector: labels, template },
  });
  const claim = { accessModes: ["ReadWriteOnce" as const], storageClassName: "nobody", resources: one };
  await client.create(StatefulSet, {
    metadata: metadata("toldset"),
    // A template has no name and uid.
    spec: { selector, template, volumeClaimTemplates: [{ metadata: { name: "data" }, spec: claim }] as never },
  });
  const work = {
    template: { spec: { restartPolicy: "Never" as const, containers: [{ name: "exits-0", image: "x" }] } },
  };
  await client.create(Job, {
    metadata: metadata("toldjob"),
    spec: { ...work, completionMode: "Indexed", completions: 1 },
  });
  await client.create(Job, { metadata: metadata("toldlater"), spec: { ...work, suspend: true } });
  const index = await until("the job has a pod", async () => {
    const { items } = await client.list(Pod, { namespace, labelSelector: "job-name=toldjob" }).all();
    return items[0]?.spec?.containers[0]?.env;
  });
  const says = (part: string): Promise<unknown> =>
    until(`somebody says ${part}`, async () => (await told(world)).some((line) => line.includes(part)));
  await says("Job suspended");
  await client.patch(Job, metadata("toldlater"), { merge: { spec: { suspend: false } } });
  await client.patch(Deployment, metadata("tolddeployment"), { merge: { spec: { replicas: 2 } } });
  await says("from 1 to 2");
  // Scaling back before the first pod is created would record no event.
  await until("both pods of the deployment are told to be made", async () => {
    return (await told(world)).filter((line) => line.includes("Created pod: tolddeployment")).length === 2;
  });
  await client.patch(Deployment, metadata("tolddeployment"), { merge: { spec: { replicas: 0 } } });
  await says("from 2 to 0");
  for (const name of ["toldjob", "toldlater"]) {
    await until(`${name} is told to be complete`, async () => {
      const { items } = await client.list(Event, { namespace }).all();
      return items.some(({ involvedObject, reason }) => involvedObject.name === name && reason === "Completed");
    });
  }
  for (const who of ["daemonset", "replication", "statefulset", "replicaset"]) await says(`${who}-controller Normal`);
  await until("both pods of the deployment are told to be deleted", async () => {
    return (await told(world)).filter((line) => line.includes("Deleted pod: tolddeployment")).length === 2;
  });
  await says("Create Pod toldset-0");
  await client.get(PersistentVolumeClaim, metadata("data-toldset-0"));
  return { index, told: await told(world) };
}

const one = { requests: { storage: "1Mi" } };
