/** Deletes dependents of deleted owners, with the requested propagation policy. */
import { isApiError, metadataOnly } from "@capstan/client";
import type { DiscoveredKind } from "@capstan/client";
import { parseApiVersion } from "@capstan/model";
import type { Kind, OwnerReference, StoredObject } from "@capstan/model";
import { runInformer } from "../informer/informer.ts";
import type { ServedKinds } from "../informer/served-kinds.ts";
import { WorkQueue } from "../informer/work-queue.ts";
import type { RequeueAfter } from "../informer/work-queue.ts";
import { FIELD_MANAGER } from "../controller/context.ts";
import type { ControllerContext } from "../controller/context.ts";
import { decide } from "./decide.ts";
import type { Action, OwnerState } from "./decide.ts";
import { isDeletingDependents, FOREGROUND, Graph, isOrphaningDependents, ORPHAN, toNode } from "./graph.ts";
import type { Node } from "./graph.ts";

/** Events live for an hour and own nothing. */
const ignoredResources: ReadonlySet<string> = new Set(["events.", "events.events.k8s.io"]);

/** Starts the garbage collector; it stops with the signal. Resolves when it watches all kinds. */
export async function startGarbageCollector(
  context: ControllerContext,
  kinds: ServedKinds,
  signal: AbortSignal,
): Promise<void> {
  const collector = new Collector(context, kinds, signal);
  kinds.onChange(() => void collector.watchAll());
  await collector.watchAll();
}

/** A kind that is only known at run time. */
type AnyKind = Kind<StoredObject, unknown, "Namespaced">;

class Collector {
  readonly #context: ControllerContext;
  readonly #kinds: ServedKinds;
  readonly #signal: AbortSignal;
  readonly #graph = new Graph();
  readonly #queue: WorkQueue;
  readonly #informers = new Map<string, AbortController>();

  constructor(context: ControllerContext, kinds: ServedKinds, signal: AbortSignal) {
    this.#context = context;
    this.#kinds = kinds;
    this.#signal = signal;
    const { clock, log } = context;
    const reconcile = (uid: string): Promise<RequeueAfter> => this.#reconcile(uid);
    this.#queue = new WorkQueue({ name: "garbage collector", clock, log, reconcile, concurrency: 16 });
    signal.addEventListener("abort", () => this.#stop(), { once: true });
  }

  /** Watches exactly the served kinds. */
  async watchAll(): Promise<void> {
    const kinds = await this.#kinds.current().catch(() => undefined);
    if (kinds === undefined || this.#signal.aborted) return;
    const wanted = new Map(kinds.map((kind) => [`${kind.plural}.${kind.group}`, kind]));
    for (const [id, stop] of this.#informers) {
      if (wanted.has(id)) continue;
      stop.abort();
      this.#informers.delete(id);
      for (const node of this.#graph.ofKind(kindOf(id))) this.#removed(node.uid);
    }
    for (const [id, kind] of wanted) if (!this.#informers.has(id) && !ignoredResources.has(id)) this.#watch(id, kind);
  }

  #stop(): void {
    this.#queue.stop();
    for (const stop of this.#informers.values()) stop.abort();
  }

  #watch(id: string, kind: DiscoveredKind): void {
    const stop = new AbortController();
    this.#informers.set(id, stop);
    const { api, clock } = this.#context;
    const listener = {
      put: (object: StoredObject) => this.#put(toNode(kind, object)),
      removed: (object: StoredObject) => this.#removed(object.metadata.uid),
    };
    void runInformer({ api, kind, clock, signal: stop.signal, listener, metadataOnly: true });
  }

  #put(node: Node): void {
    const old = this.#graph.get(node.uid);
    this.#graph.put(node);
    if (node.owners.length > 0 || isDeletingDependents(node) || isOrphaningDependents(node)) this.#queue.add(node.uid);
    // An owner that starts to wait concerns its dependents; a changed dependent may unblock its owner.
    if (isDeletingDependents(node)) for (const { uid } of this.#graph.dependentsOf(node.uid)) this.#queue.add(uid);
    for (const { uid } of [...(old?.owners ?? []), ...node.owners]) this.#requeueWaiting(uid);
  }

  #removed(uid: string): void {
    const dependents = this.#graph.dependentsOf(uid);
    const node = this.#graph.remove(uid);
    for (const dependent of dependents) this.#queue.add(dependent.uid);
    for (const owner of node?.owners ?? []) this.#requeueWaiting(owner.uid);
  }

  #requeueWaiting(uid: string): void {
    const owner = this.#graph.get(uid);
    if (owner !== undefined && isDeletingDependents(owner)) this.#queue.add(uid);
  }

  async #reconcile(uid: string): Promise<RequeueAfter> {
    const node = this.#graph.get(uid);
    if (node === undefined) return undefined;
    const dependents = this.#graph.dependentsOf(uid);
    const owners: { reference: OwnerReference; state: OwnerState }[] = [];
    if (!node.isBeingDeleted) {
      for (const reference of node.owners) {
        const state = await this.#stateOf(reference, node);
        if (state === "unknown") return undefined;
        owners.push({ reference, state });
      }
    }
    await this.#act(node, decide({ node, dependents, owners }));
    return undefined;
  }

  /** Fetches an owner that the graph does not contain: its absence must be certain. */
  async #stateOf(reference: OwnerReference, dependent: Node): Promise<OwnerState | "unknown"> {
    const known = this.#graph.get(reference.uid);
    if (known !== undefined) {
      // A reference to an object in another namespace is dangling.
      const isVisible = known.namespace === undefined || known.namespace === dependent.namespace;
      if (!isVisible) return dependent.namespace === undefined ? "unknown" : "dangling";
      return isDeletingDependents(known) ? "waiting" : "solid";
    }
    const kind = await this.#kindOf(reference);
    if (kind === undefined) return "unknown";
    if (kind.scope === "Namespaced" && dependent.namespace === undefined) return "unknown";
    return this.#fetchOwnerState(kind, reference, dependent);
  }

  async #kindOf({ apiVersion, kind }: OwnerReference): Promise<DiscoveredKind | undefined> {
    const { group } = parseApiVersion(apiVersion);
    const kinds = await this.#kinds.current();
    return kinds.find((one) => one.kind === kind && one.group === group);
  }

  async #fetchOwnerState(
    kind: DiscoveredKind,
    { name, uid }: OwnerReference,
    { namespace }: Node,
  ): Promise<OwnerState> {
    const target = kind.scope === "Namespaced" ? { namespace, name } : { name };
    try {
      const owner = await this.#context.client.get(
        metadataOnly(kind) as AnyKind,
        target as { namespace: string; name: string },
      );
      return owner.metadata.uid === uid ? "solid" : "dangling";
    } catch (error) {
      if (isApiError(error, "NotFound")) return "dangling";
      throw error;
    }
  }

  async #act(node: Node, action: Action): Promise<void> {
    switch (action.do) {
      case "nothing":
        return;
      case "orphan":
        await Promise.all(action.dependents.map((one) => this.#unlink(one, [node.uid])));
        return this.#dropFinalizer(node, ORPHAN);
      case "release":
        return this.#dropFinalizer(node, FOREGROUND);
      case "await":
        for (const { uid } of action.dependents) this.#queue.add(uid);
        return;
      case "unlink":
        return this.#unlink(node, action.owners);
      case "delete":
        if (action.unblock) await this.#unblock(node);
        return this.#delete(node, action.policy);
    }
  }

  /**
   * The graph may be stale: an orphaned object must not be deleted. So the deletion has the version whose owners were checked as its
   * precondition.
   */
  async #delete(node: Node, propagationPolicy: "Foreground" | "Background" | "Orphan"): Promise<void> {
    const { client } = this.#context;
    const live = await client.get(metadataOnly(node.kind) as AnyKind, keyOf(node)).catch(ignoreNotFound);
    if (live === undefined || live.metadata.uid !== node.uid || !hasOwners(live, node.owners)) return;
    const { uid, resourceVersion } = live.metadata;
    const target = { ...keyOf(node), preconditions: { uid, resourceVersion }, propagationPolicy };
    await client.delete(node.kind as AnyKind, target).catch(ignoreNotFound);
  }

  async #unblock(node: Node): Promise<void> {
    await this.#patchMetadata(node, ({ ownerReferences = [] }) => ({
      ownerReferences: ownerReferences.map((reference) => ({ ...reference, blockOwnerDeletion: false })),
    }));
  }

  /** Merge patches replace the whole list, so the patch requires the version that was read. */
  async #unlink(node: Node, owners: readonly string[]): Promise<void> {
    await this.#patchMetadata(node, ({ ownerReferences = [] }) => ({
      ownerReferences: ownerReferences.filter(({ uid }) => !owners.includes(uid)),
    }));
  }

  async #dropFinalizer(node: Node, finalizer: string): Promise<void> {
    await this.#patchMetadata(node, ({ finalizers = [] }) => ({
      finalizers: finalizers.filter((one) => one !== finalizer),
    }));
  }

  async #patchMetadata(node: Node, change: (metadata: StoredObject["metadata"]) => object): Promise<void> {
    const { client } = this.#context;
    const kind = node.kind as AnyKind;
    const target = keyOf(node);
    const live = await client.get(metadataOnly(kind) as AnyKind, target).catch(ignoreNotFound);
    if (live === undefined || live.metadata.uid !== node.uid) return;
    const { uid, resourceVersion } = live.metadata;
    const merge = { metadata: { uid, resourceVersion, ...change(live.metadata) } };
    await client.patch(kind, target, { merge }, { fieldManager: FIELD_MANAGER }).catch(ignoreNotFound);
  }
}

function hasOwners({ metadata }: StoredObject, owners: readonly OwnerReference[]): boolean {
  const now = new Set(metadata.ownerReferences?.map(({ uid }) => uid));
  return now.size === owners.length && owners.every(({ uid }) => now.has(uid));
}

function kindOf(id: string): { readonly plural: string; readonly group: string } {
  const dot = id.indexOf(".");
  return { plural: id.slice(0, dot), group: id.slice(dot + 1) };
}

function keyOf({ name, namespace }: { readonly name: string; readonly namespace: string | undefined }): {
  readonly namespace: string;
  readonly name: string;
} {
  // Without a namespace the path has no namespace segment, as cluster-scoped objects need it.
  return (namespace === undefined ? { name } : { namespace, name }) as { namespace: string; name: string };
}

function ignoreNotFound(error: unknown): undefined {
  if (!isApiError(error, "NotFound")) throw error;
}
