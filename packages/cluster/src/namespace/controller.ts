/** Deletes the content of a terminating namespace, then finalizes it. */
import { isApiError, metadataOnly } from "@capstan/client";
import type { DiscoveredKind } from "@capstan/client";
import { Namespace, Pod } from "@capstan/kinds/v1";
import { formatTime } from "@capstan/model";
import type { Kind, StoredObject } from "@capstan/model";
import { runInformer } from "../informer/informer.ts";
import type { ServedKinds } from "../informer/served-kinds.ts";
import { WorkQueue } from "../informer/work-queue.ts";
import type { RequeueAfter } from "../informer/work-queue.ts";
import { FIELD_MANAGER } from "../controller/context.ts";
import type { ControllerContext } from "../controller/context.ts";
import { deletionConditions } from "./conditions.ts";
import type { RemainingObjects } from "./conditions.ts";

/** The finalizer in `spec.finalizers`: the content of the namespace is not deleted yet. */
const CONTENT_FINALIZER = "kubernetes";
/** The delay until a namespace with remaining content is checked again, in milliseconds. */
const RETRY_DELAY = 250;

/**
 * Starts the namespace controller. It has its own informer because its work begins with the deletion: a controller of the runtime would
 * need a finalizer for that.
 */
export function startNamespaceController(context: ControllerContext, kinds: ServedKinds, signal: AbortSignal): void {
  const { api, clock, log } = context;
  const reconcile = (name: string): Promise<RequeueAfter> => syncNamespace(context, kinds, name);
  const queue = new WorkQueue({ name: "namespace", clock, log, reconcile, concurrency: 8 });
  const put = (namespace: Namespace): void => {
    if (namespace.metadata.deletionTimestamp !== undefined) queue.add(namespace.metadata.name);
  };
  void runInformer<Namespace>({ api, kind: Namespace, clock, signal, listener: { put, removed: () => undefined } });
  signal.addEventListener("abort", () => queue.stop(), { once: true });
}

async function syncNamespace(context: ControllerContext, kinds: ServedKinds, name: string): Promise<RequeueAfter> {
  const { client, clock } = context;
  const namespace = await client.get(Namespace, { name }).catch(ignoreNotFound);
  if (namespace?.metadata.deletionTimestamp === undefined) return undefined;
  if (!(namespace.spec?.finalizers ?? []).includes(CONTENT_FINALIZER)) return undefined;
  const remaining = await deleteContent(context, await kinds.current(), name);
  const conditions = deletionConditions(namespace.status?.conditions ?? [], remaining, formatTime(clock.wall()));
  if (conditions !== namespace.status?.conditions && conditions.length > 0) {
    const status = { ...namespace.status, conditions };
    await client.update(Namespace, { ...namespace, status }, { subresource: "status", fieldManager: FIELD_MANAGER });
  }
  if (remaining.length > 0) return RETRY_DELAY;
  await finalizeNamespace(context, name);
  return undefined;
}

/** Removes the finalizer from the current version of the namespace. */
async function finalizeNamespace({ client }: ControllerContext, name: string): Promise<void> {
  const namespace = await client.get(Namespace, { name }).catch(ignoreNotFound);
  if (namespace === undefined) return;
  const finalizers = (namespace.spec?.finalizers ?? []).filter((one) => one !== CONTENT_FINALIZER);
  const options = { subresource: "finalize", fieldManager: FIELD_MANAGER };
  await client.update(Namespace, { ...namespace, spec: { finalizers } }, options).catch(ignoreNotFound);
}

function ignoreNotFound(error: unknown): undefined {
  if (!isApiError(error, "NotFound")) throw error;
}

/** Pods are deleted first. All other objects wait until they are gone, because pods use them. */
async function deleteContent(
  context: ControllerContext,
  kinds: readonly DiscoveredKind[],
  namespace: string,
): Promise<readonly RemainingObjects[]> {
  const inside = kinds.filter(({ scope }) => scope === "Namespaced");
  const isPod = ({ group, kind }: DiscoveredKind): boolean => group === "" && kind === Pod.kind;
  const removeKinds = async (chosen: readonly DiscoveredKind[]): Promise<readonly RemainingObjects[]> =>
    (await Promise.all(chosen.map((kind) => deleteKind(context, kind, namespace)))).filter(({ count }) => count > 0);
  const pods = await removeKinds(inside.filter(isPod));
  return pods.length > 0 ? pods : removeKinds(inside.filter((kind) => !isPod(kind)));
}

async function deleteKind(
  { client }: ControllerContext,
  kind: DiscoveredKind,
  namespace: string,
): Promise<RemainingObjects> {
  // Discovery reports the kind as namespaced.
  const names = metadataOnly(kind) as Kind<StoredObject, unknown, "Namespaced">;
  const there = (await client.list(names, { namespace, limit: 0 }).all()).items;
  if (there.length === 0) return { kind, count: 0, finalizers: [] };
  await deleteCollection(client, kind as Kind<StoredObject, unknown, "Namespaced">, namespace);
  const left = (await client.list(names, { namespace, limit: 0 }).all()).items;
  return { kind, count: left.length, finalizers: left.flatMap(({ metadata }) => metadata.finalizers ?? []) };
}

async function deleteCollection(
  client: ControllerContext["client"],
  kind: Kind<StoredObject, unknown, "Namespaced">,
  namespace: string,
): Promise<void> {
  try {
    await client.deleteCollection(kind, { namespace, propagationPolicy: "Background" });
  } catch (error) {
    if (!isApiError(error, "MethodNotAllowed")) throw error;
    for await (const { metadata } of client.list(kind, { namespace })) {
      await client.delete(kind, { namespace, name: metadata.name }).catch(ignoreNotFound);
    }
  }
}
