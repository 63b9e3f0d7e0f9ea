/** The owner graph: every object of the cluster by uid, with its dependents. It holds metadata only. */
import type { ObjectMeta, OwnerReference, StoredObject } from "@capstan/model";
import type { WatchedKind } from "../informer/informer.ts";

/** The finalizer of an object that waits for its dependents to be deleted. */
export const FOREGROUND = "foregroundDeletion";
/** The finalizer of an object that orphans its dependents. */
export const ORPHAN = "orphan";

/** An object in the graph. */
export interface Node {
  readonly kind: WatchedKind;
  readonly uid: string;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly owners: readonly OwnerReference[];
  readonly finalizers: readonly string[];
  readonly isBeingDeleted: boolean;
}

/** Reduces an object to what the graph keeps. */
export function toNode(kind: WatchedKind, { metadata }: StoredObject): Node {
  return {
    kind,
    uid: metadata.uid,
    name: metadata.name,
    namespace: metadata.namespace,
    owners: metadata.ownerReferences ?? [],
    finalizers: metadata.finalizers ?? [],
    isBeingDeleted: isBeingDeleted(metadata),
  };
}

function isBeingDeleted({ deletionTimestamp }: ObjectMeta): boolean {
  return deletionTimestamp !== undefined;
}

/** Whether an object waits for its dependents to be deleted. */
export function isDeletingDependents({ isBeingDeleted: isDeleted, finalizers }: Node): boolean {
  return isDeleted && finalizers.includes(FOREGROUND);
}

/** Whether an object orphans its dependents. */
export function isOrphaningDependents({ isBeingDeleted: isDeleted, finalizers }: Node): boolean {
  return isDeleted && finalizers.includes(ORPHAN);
}

/** Whether a dependent blocks the deletion of its owner. */
export function blocksOwnerDeletion(dependent: Node, owner: Node): boolean {
  return dependent.owners.some(({ uid, blockOwnerDeletion }) => uid === owner.uid && blockOwnerDeletion === true);
}

/** The owner graph. */
export class Graph {
  readonly #nodes = new Map<string, Node>();
  readonly #dependents = new Map<string, Set<string>>();

  get(uid: string): Node | undefined {
    return this.#nodes.get(uid);
  }

  /** The objects that name this one as their owner; they may outlive it. */
  dependentsOf(uid: string): readonly Node[] {
    return [...(this.#dependents.get(uid) ?? [])].flatMap((one) => this.#nodes.get(one) ?? []);
  }

  put(node: Node): void {
    const old = this.#nodes.get(node.uid);
    this.#nodes.set(node.uid, node);
    if (old?.owners === node.owners) return;
    if (old !== undefined) this.#unlink(old);
    for (const { uid } of node.owners) {
      const dependents = this.#dependents.get(uid);
      if (dependents === undefined) this.#dependents.set(uid, new Set([node.uid]));
      else dependents.add(node.uid);
    }
  }

  remove(uid: string): Node | undefined {
    const node = this.#nodes.get(uid);
    if (node === undefined) return undefined;
    this.#nodes.delete(uid);
    this.#unlink(node);
    return node;
  }

  /** The objects of a kind. */
  ofKind({ plural, group }: Pick<WatchedKind, "plural" | "group">): readonly Node[] {
    return [...this.#nodes.values()].filter(({ kind }) => kind.plural === plural && kind.group === group);
  }

  #unlink({ uid, owners }: Node): void {
    for (const owner of owners) {
      const dependents = this.#dependents.get(owner.uid);
      dependents?.delete(uid);
      if (dependents?.size === 0) this.#dependents.delete(owner.uid);
    }
  }
}
