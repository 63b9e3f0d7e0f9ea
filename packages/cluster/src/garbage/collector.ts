/** Deletes what belonged to something that is gone, in the order that the deleter asked for. */
import { isApiError, metadataOnly } from "@capstan/client";
import type { DiscoveredKind } from "@capstan/client";
import { parseApiVersion } from "@capstan/model";
import type { Kind, OwnerReference, StoredObject } from "@capstan/model";
import { follow } from "../follow/follow.ts";
import type { KnownKinds } from "../follow/kinds.ts";
import { Worker } from "../follow/worker.ts";
import type { Later } from "../follow/worker.ts";
import { MANAGER } from "../setting.ts";
import type { Setting } from "../setting.ts";
import { decide } from "./decide.ts";
import type { Action, OwnerState } from "./decide.ts";
import { awaitsDependents, FOREGROUND, Graph, leavesDependents, ORPHAN, toNode } from "./graph.ts";
import type { Node } from "./graph.ts";

/** Events live for an hour and own nothing. */
const ignored: ReadonlySet<string> = new Set(["events.", "events.events.k8s.io"]);

/** Starts the garbage collector; it ends with the signal. Resolves when it knows every object. */
export async function startGarbageCollector(setting: Setting, kinds: KnownKinds, signal: AbortSignal): Promise<void> {
  const collector = new Collector(setting, kinds, signal);
  kinds.onChange(() => void collector.followAll());
  await collector.followAll();
}

/** A kind of which nothing is known at compile time. */
type AnyKind = Kind<StoredObject, unknown, "Namespaced">;

class Collector {
  readonly #setting: Setting;
  readonly #kinds: KnownKinds;
  readonly #signal: AbortSignal;
  readonly #graph = new Graph();
  readonly #worker: Worker;
  readonly #followed = new Map<string, AbortController>();

  constructor(setting: Setting, kinds: KnownKinds, signal: AbortSignal) {
    this.#setting = setting;
    this.#kinds = kinds;
    this.#signal = signal;
    const { clock, log } = setting;
    const work = (uid: string): Promise<Later> => this.#work(uid);
    this.#worker = new Worker({ name: "garbage collector", clock, log, work, concurrency: 16 });
    signal.addEventListener("abort", () => this.#stop(), { once: true });
  }

  /** Follows every kind that is served, and no other. */
  async followAll(): Promise<void> {
    const kinds = await this.#kinds.current().catch(() => undefined);
    if (kinds === undefined || this.#signal.aborted) return;
    const wanted = new Map(kinds.map((kind) => [`${kind.plural}.${kind.group}`, kind]));
    for (const [id, stop] of this.#followed) {
      if (wanted.has(id)) continue;
      stop.abort();
      this.#followed.delete(id);
      for (const node of this.#graph.ofKind(kindOf(id))) this.#removed(node.uid);
    }
    for (const [id, kind] of wanted) if (!this.#followed.has(id) && !ignored.has(id)) this.#follow(id, kind);
  }

  #stop(): void {
    this.#worker.stop();
    for (const stop of this.#followed.values()) stop.abort();
  }

  #follow(id: string, kind: DiscoveredKind): void {
    const stop = new AbortController();
    this.#followed.set(id, stop);
    const { api, clock } = this.#setting;
    const listener = {
      put: (object: StoredObject) => this.#put(toNode(kind, object)),
      removed: (object: StoredObject) => this.#removed(object.metadata.uid),
    };
    void follow({ api, kind, clock, signal: stop.signal, listener, metadataOnly: true });
  }

  #put(node: Node): void {
    const old = this.#graph.get(node.uid);
    this.#graph.put(node);
    if (node.owners.length > 0 || awaitsDependents(node) || leavesDependents(node)) this.#worker.add(node.uid);
    // An owner that begins to wait concerns those who hold it; a dependent that changes may let its owner go.
    if (awaitsDependents(node)) for (const { uid } of this.#graph.dependentsOf(node.uid)) this.#worker.add(uid);
    for (const { uid } of [...(old?.owners ?? []), ...node.owners]) this.#wakeWaiting(uid);
  }

  #removed(uid: string): void {
    const dependents = this.#graph.dependentsOf(uid);
    const node = this.#graph.remove(uid);
    for (const dependent of dependents) this.#worker.add(dependent.uid);
    for (const owner of node?.owners ?? []) this.#wakeWaiting(owner.uid);
  }

  #wakeWaiting(uid: string): void {
    const owner = this.#graph.get(uid);
    if (owner !== undefined && awaitsDependents(owner)) this.#worker.add(uid);
  }

  async #work(uid: string): Promise<Later> {
    const node = this.#graph.get(uid);
    if (node === undefined) return undefined;
    const dependents = this.#graph.dependentsOf(uid);
    const owners: { reference: OwnerReference; state: OwnerState }[] = [];
    if (!node.isLeaving) {
      for (const reference of node.owners) {
        const state = await this.#stateOf(reference, node);
        if (state === "unknown") return undefined;
        owners.push({ reference, state });
      }
    }
    await this.#act(node, decide({ node, dependents, owners }));
    return undefined;
  }

  /** An owner that the graph does not know is asked for: absence has to be certain. */
  async #stateOf(reference: OwnerReference, dependent: Node): Promise<OwnerState | "unknown"> {
    const known = this.#graph.get(reference.uid);
    if (known !== undefined) {
      // A reference into another namespace, or to a namesake of another kind, leads nowhere.
      const isThere = known.namespace === undefined || known.namespace === dependent.namespace;
      if (!isThere) return dependent.namespace === undefined ? "unknown" : "absent";
      return awaitsDependents(known) ? "waiting" : "solid";
    }
    const kind = await this.#kindOf(reference);
    if (kind === undefined) return "unknown";
    if (kind.scope === "Namespaced" && dependent.namespace === undefined) return "unknown";
    return this.#ask(kind, reference, dependent);
  }

  async #kindOf({ apiVersion, kind }: OwnerReference): Promise<DiscoveredKind | undefined> {
    const { group } = parseApiVersion(apiVersion);
    const kinds = await this.#kinds.current();
    return kinds.find((one) => one.kind === kind && one.group === group);
  }

  async #ask(kind: DiscoveredKind, { name, uid }: OwnerReference, { namespace }: Node): Promise<OwnerState> {
    const target = kind.scope === "Namespaced" ? { namespace, name } : { name };
    try {
      const owner = await this.#setting.client.get(
        metadataOnly(kind) as AnyKind,
        target as { namespace: string; name: string },
      );
      return owner.metadata.uid === uid ? "solid" : "absent";
    } catch (error) {
      if (isApiError(error, "NotFound")) return "absent";
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
        for (const { uid } of action.dependents) this.#worker.add(uid);
        return;
      case "unlink":
        return this.#unlink(node, action.owners);
      case "delete":
        if (action.unblock) await this.#unblock(node);
        return this.#delete(node, action.policy);
    }
  }

  /**
   * The graph may be behind: an object that was let go a moment ago must not be taken for one whose owner is gone. So the very
   * version is deleted whose owners were looked at.
   */
  async #delete(node: Node, propagationPolicy: "Foreground" | "Background" | "Orphan"): Promise<void> {
    const { client } = this.#setting;
    const live = await client.get(metadataOnly(node.kind) as AnyKind, place(node)).catch(unlessGone);
    if (live === undefined || live.metadata.uid !== node.uid || !hasOwners(live, node.owners)) return;
    const { uid, resourceVersion } = live.metadata;
    const target = { ...place(node), preconditions: { uid, resourceVersion }, propagationPolicy };
    await client.delete(node.kind as AnyKind, target).catch(unlessGone);
  }

  async #unblock(node: Node): Promise<void> {
    await this.#rewrite(node, ({ ownerReferences = [] }) => ({
      ownerReferences: ownerReferences.map((reference) => ({ ...reference, blockOwnerDeletion: false })),
    }));
  }

  /** References and finalizers are lists without keys for a merge: the patch holds for the version that was read. */
  async #unlink(node: Node, owners: readonly string[]): Promise<void> {
    await this.#rewrite(node, ({ ownerReferences = [] }) => ({
      ownerReferences: ownerReferences.filter(({ uid }) => !owners.includes(uid)),
    }));
  }

  async #dropFinalizer(node: Node, finalizer: string): Promise<void> {
    await this.#rewrite(node, ({ finalizers = [] }) => ({ finalizers: finalizers.filter((one) => one !== finalizer) }));
  }

  async #rewrite(node: Node, change: (metadata: StoredObject["metadata"]) => object): Promise<void> {
    const { client } = this.#setting;
    const kind = node.kind as AnyKind;
    const target = place(node);
    const live = await client.get(metadataOnly(kind) as AnyKind, target).catch(unlessGone);
    if (live === undefined || live.metadata.uid !== node.uid) return;
    const { uid, resourceVersion } = live.metadata;
    const merge = { metadata: { uid, resourceVersion, ...change(live.metadata) } };
    await client.patch(kind, target, { merge }, { fieldManager: MANAGER }).catch(unlessGone);
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

function place({ name, namespace }: { readonly name: string; readonly namespace: string | undefined }): {
  readonly namespace: string;
  readonly name: string;
} {
  // An absent namespace leaves the segment out of the path, which is what a cluster-scoped object needs.
  return (namespace === undefined ? { name } : { namespace, name }) as { namespace: string; name: string };
}

function unlessGone(error: unknown): undefined {
  if (!isApiError(error, "NotFound")) throw error;
}
