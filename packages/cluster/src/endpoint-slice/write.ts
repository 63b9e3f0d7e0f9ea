/** Creates, updates and deletes slices. */
import { isApiError } from "@capstan/client";
import type { Client } from "@capstan/client";
import { EndpointSlice } from "@capstan/kinds/discovery.k8s.io/v1";
import { isDeepEqual } from "@capstan/model";
import type { OwnerReference } from "@capstan/model";
import type { MutationCache } from "../controller/mutation-cache.ts";
import { FIELD_MANAGER } from "../controller/context.ts";
import type { Changes, Content } from "./pack.ts";

/** The label that names the service of a slice. */
export const SERVICE_NAME = "kubernetes.io/service-name";
/** The label that names the manager of a slice. */
export const MANAGED_BY = "endpointslice.kubernetes.io/managed-by";

/** The owner of slices, and how they are written. */
export interface SliceOwner {
  readonly client: Client;
  readonly sliceCache: MutationCache<typeof EndpointSlice>;
  readonly name: string;
  readonly namespace: string;
  readonly reference: OwnerReference;
  readonly labels: { readonly [label: string]: string };
  readonly signal: AbortSignal;
}

/** Writes the packed slices of an owner. Creates come first, so that no endpoint is missing in between. */
export async function writeSlices(
  owner: SliceOwner,
  { create, update, remove }: Changes,
  slices: readonly EndpointSlice[],
): Promise<void> {
  const updates = new Map(update.map(({ slice, endpoints }) => [slice, endpoints]));
  const toDelete = new Set(remove);
  for (const content of create) await createSlice(owner, content);
  for (const slice of slices) {
    const isSame = !updates.has(slice) && isDeepEqual(slice.metadata.labels, owner.labels);
    if (!toDelete.has(slice) && !isSame) await updateSlice(owner, slice, updates.get(slice) ?? slice.endpoints ?? []);
  }
  for (const slice of remove) await removeSlice(owner, slice);
}

async function createSlice(owner: SliceOwner, content: Content): Promise<void> {
  const { client, sliceCache, name, namespace, reference, labels, signal } = owner;
  const metadata = { generateName: `${name}-`, namespace, labels, ownerReferences: [reference] };
  sliceCache.wrote(
    await client.create(EndpointSlice, { metadata, ...content }, { fieldManager: FIELD_MANAGER, signal }),
  );
}

async function updateSlice(
  { client, sliceCache, labels, signal }: SliceOwner,
  slice: EndpointSlice,
  endpoints: NonNullable<EndpointSlice["endpoints"]>,
): Promise<void> {
  const { managedFields: _managedFields, ...kept } = slice.metadata;
  const updated = { ...slice, metadata: { ...kept, labels }, endpoints };
  sliceCache.wrote(await client.update(EndpointSlice, updated, { fieldManager: FIELD_MANAGER, signal }));
}

async function removeSlice({ client, sliceCache, signal }: SliceOwner, slice: EndpointSlice): Promise<void> {
  const { namespace = "", name, uid } = slice.metadata;
  try {
    sliceCache.deleted(slice, await client.delete(EndpointSlice, { namespace, name, preconditions: { uid }, signal }));
  } catch (error) {
    if (!isApiError(error, "NotFound", "Conflict")) throw error;
  }
}
