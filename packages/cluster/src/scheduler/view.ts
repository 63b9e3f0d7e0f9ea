/** What the scheduler knows: nodes and the pods on them, with what these take. */
import type { Node, Pod } from "@capstan/kinds/v1";
import { isFinished } from "../pod/state.ts";
import { allocatableOf, requestsOf } from "./resources.ts";
import type { Amounts } from "./resources.ts";

/** A pod on a node, with what it takes. */
export interface PlacedPod {
  readonly pod: Pod;
  readonly requests: Amounts;
}

/** A node with its pods. */
export interface NodeView {
  readonly node: Node;
  readonly allocatable: Amounts;
  readonly pods: ReadonlyMap<string, PlacedPod>;
  /** What the pods take together. */
  readonly used: ReadonlyMap<string, number>;
}

class Place implements NodeView {
  node: Node;
  allocatable: Amounts;
  readonly pods = new Map<string, PlacedPod>();
  readonly used = new Map<string, number>();

  constructor(node: Node) {
    this.node = node;
    this.allocatable = allocatableOf(node);
  }

  update(node: Node): void {
    this.node = node;
    this.allocatable = allocatableOf(node);
  }

  add(placed: PlacedPod): void {
    this.remove(placed.pod.metadata.uid);
    this.pods.set(placed.pod.metadata.uid, placed);
    this.#count(placed, 1);
  }

  remove(uid: string): void {
    const placed = this.pods.get(uid);
    if (placed === undefined) return;
    this.pods.delete(uid);
    this.#count(placed, -1);
  }

  #count({ requests }: PlacedPod, sign: 1 | -1): void {
    for (const [name, amount] of requests) this.used.set(name, (this.used.get(name) ?? 0) + sign * amount);
  }
}

/** All nodes and placed pods, kept up to date. */
export class ClusterView {
  readonly #places = new Map<string, Place>();
  /** Where each pod is; a pod may be told before its node is. */
  readonly #whereabouts = new Map<string, { readonly nodeName: string; readonly placed: PlacedPod }>();

  get nodes(): readonly NodeView[] {
    return [...this.#places.values()];
  }

  nodeOf(name: string): NodeView | undefined {
    return this.#places.get(name);
  }

  /** Every pod that has a node and has not ended. */
  *placedPods(): Generator<PlacedPod & { readonly nodeName: string }> {
    for (const { nodeName, placed } of this.#whereabouts.values()) yield { ...placed, nodeName };
  }

  putNode(node: Node): void {
    const known = this.#places.get(node.metadata.name);
    if (known !== undefined) return known.update(node);
    const place = new Place(node);
    this.#places.set(node.metadata.name, place);
    for (const { nodeName, placed } of this.#whereabouts.values()) {
      if (nodeName === node.metadata.name) place.add(placed);
    }
  }

  removeNode(name: string): void {
    this.#places.delete(name);
  }

  /** Notes a pod that has a node; one that has ended takes nothing any more. */
  putPod(pod: Pod, nodeName: string = pod.spec?.nodeName ?? ""): void {
    if (nodeName === "" || isFinished(pod)) return this.removePod(pod.metadata.uid);
    const placed = { pod, requests: requestsOf(pod) };
    const before = this.#whereabouts.get(pod.metadata.uid);
    if (before !== undefined && before.nodeName !== nodeName) this.removePod(pod.metadata.uid);
    this.#whereabouts.set(pod.metadata.uid, { nodeName, placed });
    this.#places.get(nodeName)?.add(placed);
  }

  removePod(uid: string): void {
    const where = this.#whereabouts.get(uid);
    if (where === undefined) return;
    this.#whereabouts.delete(uid);
    this.#places.get(where.nodeName)?.remove(uid);
  }
}
