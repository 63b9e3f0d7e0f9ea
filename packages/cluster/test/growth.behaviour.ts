/** Expansion of claims: facts that must be the same under any control plane. */
import { isApiError } from "@capstan/client";
import { StorageClass } from "@capstan/kinds/storage.k8s.io/v1";
import { Event, PersistentVolume, PersistentVolumeClaim } from "@capstan/kinds/v1";
import { until } from "./until.ts";
import type { World } from "./worlds.ts";

type Status = NonNullable<PersistentVolumeClaim["status"]>;

/**
 * A claim with an external provisioner: the control plane reports that it waits for it, accepts its reports of progress, and never takes
 * the size of the volume for that of the file system.
 */
export async function grownClaim(world: World): Promise<object> {
  await makeClass(world, "fixed", false);
  await makeClass(world, "growing", true);
  await Promise.all([makeBound(world, "fixed", "fixed"), makeBound(world, "growing", "growing")]);
  const refused = [await grow(world, "fixed", "2Mi"), await grow(world, "growing", "512Ki")];
  const accepted = await grow(world, "growing", "3Mi");
  const events = await until("the claim waits", () => eventsOf(world, "growing"));
  await tell(world, { conditions: [{ type: "Resizing", status: "True" }] });
  const volume = await growVolume(world, "2Mi");
  const underway = await sizes(world);
  await tell(world, {
    capacity: { storage: "2Mi" },
    conditions: [{ type: "FileSystemResizePending", status: "True" }],
  });
  await makeBound(world, "growing", "growing-later");
  const pending = await sizes(world);
  const lowered: unknown[] = [];
  for (const storage of ["1Mi", "2Mi", "2560Ki"]) lowered.push(await grow(world, "growing", storage));
  await tell(world, { conditions: null });
  await makeBound(world, "growing", "growing-last");
  return { refused, accepted, events, volume, underway, pending, lowered, done: await sizes(world) };
}

async function makeClass({ client }: World, name: string, allowVolumeExpansion: boolean): Promise<void> {
  const outside = { provisioner: "example.com/outside", volumeBindingMode: "Immediate" as const };
  await client.create(StorageClass, { metadata: { name }, ...outside, allowVolumeExpansion });
}

/** A claim with its own volume. When it is bound, all earlier volume events have been handled. */
async function makeBound({ client, namespace }: World, storageClassName: string, name: string): Promise<void> {
  const mode = { accessModes: ["ReadWriteOnce" as const], storageClassName };
  const claimRef = { namespace, name };
  const hostPath = { path: `/volumes/${name}` };
  const spec = { ...mode, capacity: { storage: "1Mi" }, claimRef, hostPath };
  await client.create(PersistentVolume, { metadata: { name }, spec });
  await until(`volume ${name} is known`, async () => {
    return (await client.get(PersistentVolume, { name })).status?.phase === "Available";
  });
  await client.create(PersistentVolumeClaim, {
    metadata: { name, namespace },
    spec: { ...mode, resources: { requests: { storage: "1Mi" } } },
  });
  await until(`claim ${name} is bound`, async () => {
    return (await client.get(PersistentVolumeClaim, { namespace, name })).status?.phase === "Bound";
  });
}

/** Requests another size; returns it, or why it is rejected. */
async function grow({ client, namespace }: World, name: string, storage: string): Promise<unknown> {
  const merge = { spec: { resources: { requests: { storage } } } };
  try {
    const { spec } = await client.patch(PersistentVolumeClaim, { namespace, name }, { merge });
    return spec?.resources;
  } catch (error) {
    if (isApiError(error)) return error.message;
    throw error;
  }
}

/** What the external provisioner reports for the claim. */
async function tell({ client, namespace }: World, status: { [K in keyof Status]?: Status[K] | null }): Promise<void> {
  const target = { namespace, name: "growing" };
  await client.patch(PersistentVolumeClaim, target, { merge: { status } }, { subresource: "status" });
}

/** The external provisioner has expanded the volume. */
async function growVolume(world: World, storage: string): Promise<unknown> {
  const merge = { spec: { capacity: { storage } } };
  const { spec } = await world.client.patch(PersistentVolume, { name: "growing" }, { merge });
  await makeBound(world, "growing", "growing-after");
  return spec?.capacity;
}

async function sizes({ client, namespace }: World): Promise<object> {
  const { status } = await client.get(PersistentVolumeClaim, { namespace, name: "growing" });
  const conditions = status?.conditions?.map(({ type, status: state }) => ({ type, state }));
  return { phase: status?.phase, capacity: status?.capacity, conditions };
}

async function eventsOf({ client, namespace }: World, name: string): Promise<object | false> {
  const fieldSelector = `involvedObject.name=${name},involvedObject.kind=PersistentVolumeClaim`;
  const { items } = await client.list(Event, { namespace, fieldSelector }).all();
  const told = items.filter(({ reason }) => reason === "ExternalExpanding");
  return told.length > 0 && told.map(({ type, reason, message }) => ({ type, reason, message }));
}
