/** The scheduler's cache: nodes and their pods, with requested resources. */
import type { Node, Pod } from "@capstan/kinds/v1";
import { isFinished } from "../pod/state.ts";
import { allocatableOf, requestsOf } from "./resources.ts";
import type { ResourceAmounts } from "./resources.ts";

/** A pod on a node, with its requests. */
export interface PodInfo {
  readonly pod: Pod;
  readonly requests: ResourceAmounts;
}

/** A node with its pods. */
export interface NodeInfo {
  readonly node: Node;
  readonly allocatable: ResourceAmounts;
  readonly pods: ReadonlyMap<string, PodInfo>;
  /** The sum of the pods' requests. */
  readonly requested: ReadonlyMap<string, number>;
}

class CachedNode implements NodeInfo {
  node: Node;
  allocatable: ResourceAmounts;
  readonly pods = new Map<string, PodInfo>();
  readonly requested = new Map<string, number>();

  constructor(node: Node) {
    this.node = node;
    this.allocatable = allocatableOf(node);
  }

  update(node: Node): void {
    this.node = node;
    this.allocatable = allocatableOf(node);
  }

  add(podInfo: PodInfo): void {
    this.remove(podInfo.pod.metadata.uid);
    this.pods.set(podInfo.pod.metadata.uid, podInfo);
    this.#count(podInfo, 1);
  }

  remove(uid: string): void {
    const podInfo = this.pods.get(uid);
    if (podInfo === undefined) return;
    this.pods.delete(uid);
    this.#count(podInfo, -1);
  }

  #count({ requests }: PodInfo, sign: 1 | -1): void {
    for (const [name, amount] of requests) this.requested.set(name, (this.requested.get(name) ?? 0) + sign * amount);
  }
}

/** All nodes and assigned pods. */
export class SchedulerCache {
  readonly #nodes = new Map<string, CachedNode>();
  /** Assigned pods by uid; a pod may arrive before its node. */
  readonly #pods = new Map<string, { readonly nodeName: string; readonly podInfo: PodInfo }>();

  get nodes(): readonly NodeInfo[] {
    return [...this.#nodes.values()];
  }

  nodeOf(name: string): NodeInfo | undefined {
    return this.#nodes.get(name);
  }

  /** Every assigned pod that has not finished. */
  *placedPods(): Generator<PodInfo & { readonly nodeName: string }> {
    for (const { nodeName, podInfo } of this.#pods.values()) yield { ...podInfo, nodeName };
  }

  putNode(node: Node): void {
    const known = this.#nodes.get(node.metadata.name);
    if (known !== undefined) return known.update(node);
    const cached = new CachedNode(node);
    this.#nodes.set(node.metadata.name, cached);
    for (const { nodeName, podInfo } of this.#pods.values()) {
      if (nodeName === node.metadata.name) cached.add(podInfo);
    }
  }

  removeNode(name: string): void {
    this.#nodes.delete(name);
  }

  /** Adds or updates an assigned pod; a finished pod is removed. */
  putPod(pod: Pod, nodeName: string = pod.spec?.nodeName ?? ""): void {
    if (nodeName === "" || isFinished(pod)) return this.removePod(pod.metadata.uid);
    const podInfo = { pod, requests: requestsOf(pod) };
    const before = this.#pods.get(pod.metadata.uid);
    if (before !== undefined && before.nodeName !== nodeName) this.removePod(pod.metadata.uid);
    this.#pods.set(pod.metadata.uid, { nodeName, podInfo });
    this.#nodes.get(nodeName)?.add(podInfo);
  }

  removePod(uid: string): void {
    const location = this.#pods.get(uid);
    if (location === undefined) return;
    this.#pods.delete(uid);
    this.#nodes.get(location.nodeName)?.remove(uid);
  }
}
