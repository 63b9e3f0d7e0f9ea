/** Empties a namespace that is to go, and lets it go when it is empty. */
import { isApiError, metadataOnly } from "@capstan/client";
import type { DiscoveredKind } from "@capstan/client";
import { Namespace, Pod } from "@capstan/kinds/v1";
import { formatTime } from "@capstan/model";
import type { Kind, StoredObject } from "@capstan/model";
import { follow } from "../follow/follow.ts";
import type { KnownKinds } from "../follow/kinds.ts";
import { Worker } from "../follow/worker.ts";
import type { Later } from "../follow/worker.ts";
import { MANAGER } from "../setting.ts";
import type { Setting } from "../setting.ts";
import { deletionConditions } from "./conditions.ts";
import type { Remains } from "./conditions.ts";

/** The finalizer in `spec` that stands for the content. */
const CONTENT = "kubernetes";
/** How often a namespace whose content waits for something is looked at again, in milliseconds. */
const PATIENCE = 250;

/**
 * Starts the controller of namespaces that go. It follows namespaces by itself: what it has to do begins with the deletion, which for
 * an ordinary controller would be announced by a finalizer of its own.
 */
export function startNamespaceController(setting: Setting, kinds: KnownKinds, signal: AbortSignal): void {
  const { api, clock, log } = setting;
  const work = (name: string): Promise<Later> => empty(setting, kinds, name);
  const worker = new Worker({ name: "namespace", clock, log, work, concurrency: 8 });
  const put = (namespace: Namespace): void => {
    if (namespace.metadata.deletionTimestamp !== undefined) worker.add(namespace.metadata.name);
  };
  void follow<Namespace>({ api, kind: Namespace, clock, signal, listener: { put, removed: () => undefined } });
  signal.addEventListener("abort", () => worker.stop(), { once: true });
}

async function empty(setting: Setting, kinds: KnownKinds, name: string): Promise<Later> {
  const { client, clock } = setting;
  const namespace = await client.get(Namespace, { name }).catch(unlessGone);
  if (namespace?.metadata.deletionTimestamp === undefined) return undefined;
  if (!(namespace.spec?.finalizers ?? []).includes(CONTENT)) return undefined;
  const remains = await removeContent(setting, await kinds.current(), name);
  const conditions = deletionConditions(namespace.status?.conditions ?? [], remains, formatTime(clock.wall()));
  if (conditions !== namespace.status?.conditions && conditions.length > 0) {
    const status = { ...namespace.status, conditions };
    await client.update(Namespace, { ...namespace, status }, { subresource: "status", fieldManager: MANAGER });
  }
  if (remains.length > 0) return PATIENCE;
  await letGo(setting, name);
  return undefined;
}

/** Takes the finalizer away from the namespace as it is now. */
async function letGo({ client }: Setting, name: string): Promise<void> {
  const namespace = await client.get(Namespace, { name }).catch(unlessGone);
  if (namespace === undefined) return;
  const finalizers = (namespace.spec?.finalizers ?? []).filter((one) => one !== CONTENT);
  const options = { subresource: "finalize", fieldManager: MANAGER };
  await client.update(Namespace, { ...namespace, spec: { finalizers } }, options).catch(unlessGone);
}

function unlessGone(error: unknown): undefined {
  if (!isApiError(error, "NotFound")) throw error;
}

/** Pods go first, and all others wait until they are gone: what pods use must not go under them. */
async function removeContent(
  setting: Setting,
  kinds: readonly DiscoveredKind[],
  namespace: string,
): Promise<readonly Remains[]> {
  const inside = kinds.filter(({ scope }) => scope === "Namespaced");
  const isPod = ({ group, kind }: DiscoveredKind): boolean => group === "" && kind === Pod.kind;
  const removeKinds = async (chosen: readonly DiscoveredKind[]): Promise<readonly Remains[]> =>
    (await Promise.all(chosen.map((kind) => removeAll(setting, kind, namespace)))).filter(({ count }) => count > 0);
  const pods = await removeKinds(inside.filter(isPod));
  return pods.length > 0 ? pods : removeKinds(inside.filter((kind) => !isPod(kind)));
}

async function removeAll({ client }: Setting, kind: DiscoveredKind, namespace: string): Promise<Remains> {
  // Discovery says that objects of the kind live in namespaces.
  const names = metadataOnly(kind) as Kind<StoredObject, unknown, "Namespaced">;
  const there = (await client.list(names, { namespace, limit: 0 }).all()).items;
  if (there.length === 0) return { kind, count: 0, finalizers: [] };
  await deleteAll(client, kind as Kind<StoredObject, unknown, "Namespaced">, namespace);
  const left = (await client.list(names, { namespace, limit: 0 }).all()).items;
  return { kind, count: left.length, finalizers: left.flatMap(({ metadata }) => metadata.finalizers ?? []) };
}

async function deleteAll(
  client: Setting["client"],
  kind: Kind<StoredObject, unknown, "Namespaced">,
  namespace: string,
): Promise<void> {
  try {
    await client.deleteCollection(kind, { namespace, propagationPolicy: "Background" });
  } catch (error) {
    if (!isApiError(error, "MethodNotAllowed")) throw error;
    for await (const { metadata } of client.list(kind, { namespace })) {
      await client.delete(kind, { namespace, name: metadata.name }).catch(unlessGone);
    }
  }
}
