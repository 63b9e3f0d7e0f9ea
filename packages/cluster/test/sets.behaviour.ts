/** Deployments, StatefulSets and volumes: facts that must be the same under any control plane. */
import { Deployment, StatefulSet } from "@capstan/kinds/apps/v1";
import { PersistentVolume, PersistentVolumeClaim, Pod } from "@capstan/kinds/v1";
import { until } from "./until.ts";
import type { World } from "./worlds.ts";

const labelled = (app: string) => ({ selector: { matchLabels: { app } }, labels: { app } });
const request = (mode: "ReadWriteOnce" | "ReadWriteOncePod", storageClassName: string) => ({
  accessModes: [mode],
  storageClassName,
  resources: { requests: { storage: "1Mi" } },
});

/** A rollout with pods that never become ready exceeds its progress deadline and continues. */
export async function progressDeadline({ client, namespace }: World): Promise<object> {
  const { selector, labels } = labelled("stuck");
  const spec = {
    selector,
    progressDeadlineSeconds: 2,
    template: { metadata: { labels }, spec: { containers: [{ name: "hangs", image: "x", readinessProbe }] } },
  };
  await client.create(Deployment, { metadata: { name: "stuck", namespace }, spec });
  const { status } = await until("the deadline is reported", async () => {
    const read = await client.get(Deployment, { namespace, name: "stuck" });
    return read.status?.conditions?.some(({ reason }) => reason === "ProgressDeadlineExceeded") === true && read;
  });
  const conditions = status?.conditions?.map(({ type, status: state, reason, message }) => ({
    type,
    state,
    reason,
    message: message?.replaceAll(/stuck-[0-9a-z]+/g, "stuck-H"),
  }));
  return { conditions: conditions?.sort((a, b) => (a.type < b.type ? -1 : 1)) };
}

const readinessProbe = { exec: { command: ["x"] }, periodSeconds: 1 };

/** A set of two pods with a claim each. */
function pairOf(
  app: string,
  storageClassName: string,
  persistentVolumeClaimRetentionPolicy: { readonly whenScaled: string; readonly whenDeleted: string },
) {
  const { selector, labels } = labelled(app);
  return {
    serviceName: app,
    replicas: 2,
    selector,
    template: { metadata: { labels }, spec: { containers: [{ name: "x", image: "x" }] } },
    // A template has no name and uid.
    volumeClaimTemplates: [{ metadata: { name: "data" }, spec: request("ReadWriteOnce", storageClassName) }] as never,
    persistentVolumeClaimRetentionPolicy,
  };
}

/** The remaining claims of a set that is scaled down, then deleted. */
export async function claimRetention({ client, namespace }: World): Promise<object> {
  await volumesOf(client, "retention", 2);
  const spec = pairOf("kept", "retention", { whenScaled: "Delete", whenDeleted: "Retain" });
  await client.create(StatefulSet, { metadata: { name: "kept", namespace }, spec });
  const claims = async (): Promise<readonly string[]> =>
    (await client.list(PersistentVolumeClaim, { namespace, labelSelector: "app=kept" }).all()).items.map(
      ({ metadata }) => metadata.name,
    );
  await until("both members are ready", async () => {
    return (await client.get(StatefulSet, { namespace, name: "kept" })).status?.readyReplicas === 2;
  });
  const full = await claims();
  await client.patch(StatefulSet, { namespace, name: "kept" }, { merge: { spec: { replicas: 1 } } });
  await until("the claim of the second is gone", async () => (await claims()).length === 1);
  const shrunk = await claims();
  await client.delete(StatefulSet, { namespace, name: "kept", propagationPolicy: "Foreground" });
  await until("all members are gone", async () => {
    return (await client.list(Pod, { namespace, labelSelector: "app=kept" }).all()).items.length === 0;
  });
  return { full, shrunk, left: await claims() };
}

/** The claims of a set that is deleted with them, and their owners until then. */
export async function claimsThatGo({ client, namespace }: World): Promise<object> {
  await volumesOf(client, "going", 2);
  const spec = pairOf("going", "going", { whenScaled: "Retain", whenDeleted: "Delete" });
  const { metadata } = await client.create(StatefulSet, {
    metadata: { name: "going", namespace, labels: { of: "going" } },
    spec,
  });
  const claims = async (): Promise<readonly PersistentVolumeClaim[]> =>
    (await client.list(PersistentVolumeClaim, { namespace, labelSelector: "app=going" }).all()).items;
  const owned = await until("both claims are the set's", async () => {
    const found = await claims();
    return found.length === 2 && found.every((claim) => claim.metadata.ownerReferences !== undefined) && found;
  });
  const owners = owned.map((claim) => ({
    name: claim.metadata.name,
    owners: claim.metadata.ownerReferences?.map((owner) => ({ ...owner, uid: owner.uid === metadata.uid })),
  }));
  await client.patch(StatefulSet, { namespace, name: "going" }, { merge: { spec: { replicas: 1 } } });
  await until("one member is left", async () => {
    const { items } = await client.list(Pod, { namespace, labelSelector: "app=going" }).all();
    const { status } = await client.get(StatefulSet, { namespace, name: "going" });
    return items.length === 1 && status?.replicas === 1 && status.observedGeneration === 2;
  });
  const shrunk = (await claims()).map((claim) => claim.metadata.name);
  await client.delete(StatefulSet, { namespace, name: "going", propagationPolicy: "Foreground" });
  await until("the set is gone", async () => {
    const { items } = await client.list(StatefulSet, { namespace, labelSelector: "of=going" }).all();
    return items.length === 0;
  });
  // The pods blocked the deletion.
  const left = (await claims()).length;
  const volumes = await until("the volumes are released", async () => {
    const { items } = await client.list(PersistentVolume, {}).all();
    const ofClass = items.filter(({ spec }) => spec?.storageClassName === "going");
    return ofClass.every(({ status }) => status?.phase === "Released") && ofClass.map((volume) => volume.metadata.name);
  });
  return { owners, shrunk, left, volumes };
}

/** A claim from a template in a pod: its owner, and its deletion with the pod. */
export async function ephemeralVolume({ client, namespace }: World): Promise<object> {
  await volumesOf(client, "ephemeral", 1);
  const volumeClaimTemplate = {
    metadata: { labels: { of: "template" }, annotations: { "example.com/of": "template" } },
    spec: request("ReadWriteOnce", "ephemeral"),
  };
  const volumes = [{ name: "scratch", ephemeral: { volumeClaimTemplate } }];
  await client.create(Pod, {
    metadata: { name: "worker", namespace },
    spec: { containers: [{ name: "x", image: "x" }], volumes },
  });
  await until("the pod runs", async () => {
    return (await client.get(Pod, { namespace, name: "worker" })).status?.phase === "Running";
  });
  const claim = await client.get(PersistentVolumeClaim, { namespace, name: "worker-scratch" });
  const [owner] = claim.metadata.ownerReferences ?? [];
  const facts = {
    labels: claim.metadata.labels,
    annotation: claim.metadata.annotations?.["example.com/of"],
    owner: owner && { ...owner, uid: "" },
    spec: { ...claim.spec, volumeName: "" },
  };
  await client.delete(Pod, { namespace, name: "worker", gracePeriodSeconds: 0 });
  await until("the claim is gone with its pod", async () => {
    const { items } = await client.list(PersistentVolumeClaim, { namespace, labelSelector: "of=template" }).all();
    return items.length === 0;
  });
  return facts;
}

/** A ReadWriteOncePod claim: the second pod waits with this message until the first is gone. */
export async function soleUse({ client, namespace }: World): Promise<object> {
  await volumesOf(client, "sole", 1, "ReadWriteOncePod");
  await client.create(PersistentVolumeClaim, {
    metadata: { name: "sole", namespace },
    spec: request("ReadWriteOncePod", "sole"),
  });
  const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "sole" } }];
  const make = (name: string): Promise<unknown> =>
    client.create(Pod, { metadata: { name, namespace }, spec: { containers: [{ name: "x", image: "x" }], volumes } });
  const runs = async (name: string): Promise<boolean> =>
    (await client.get(Pod, { namespace, name })).status?.phase === "Running";
  await make("first");
  await until("the first runs", () => runs("first"));
  await make("second");
  const waiting = await until("the second waits", async () => {
    const { status } = await client.get(Pod, { namespace, name: "second" });
    return status?.conditions?.find(({ type, reason }) => type === "PodScheduled" && reason === "Unschedulable");
  });
  await client.delete(Pod, { namespace, name: "first", gracePeriodSeconds: 0 });
  await until("the second runs", () => runs("second"));
  return { message: waiting.message };
}

/** Volumes of a class without a provisioner. */
async function volumesOf(
  client: World["client"],
  storageClassName: string,
  count: number,
  mode: "ReadWriteOnce" | "ReadWriteOncePod" = "ReadWriteOnce",
): Promise<void> {
  for (let n = 0; n < count; n++) {
    await client.create(PersistentVolume, {
      metadata: { name: `${storageClassName}-${n}` },
      spec: {
        capacity: { storage: "1Mi" },
        accessModes: [mode],
        storageClassName,
        hostPath: { path: `/volumes/${storageClassName}-${n}` },
      },
    });
  }
}
