/** Assigns pods to nodes: one pod at a time, highest priority first, each decision based on all earlier ones. */
import { isApiError } from "@capstan/client";
import { StorageClass } from "@capstan/kinds/storage.k8s.io/v1";
import { Namespace, Node, PersistentVolume, PersistentVolumeClaim, Pod } from "@capstan/kinds/v1";
import { PodDisruptionBudget } from "@capstan/kinds/policy/v1";
import { findCondition, fromLabelSelectorObject, matchesLabels } from "@capstan/model";
import { runInformer } from "../informer/informer.ts";
import { conditionOf } from "../pod/condition.ts";
import { isActive, millisecondsOf } from "../pod/state.ts";
import type { ControllerContext } from "../controller/context.ts";
import { schedulePod } from "./schedule-pod.ts";
import type { ScheduleResult } from "./schedule-pod.ts";
import type { Snapshot } from "./topology.ts";
import { explainNoPreemption, findPreemption, priorityOf } from "./preemption.ts";
import type { Preemption } from "./preemption.ts";
import { recordEvent } from "./event.ts";
import type { SchedulerEvent } from "./event.ts";
import { SchedulerCache } from "./cache.ts";

/** The scheduler name of pods and the field manager. */
export const SCHEDULER_NAME = "default-scheduler";
const FIELD_MANAGER = "kube-scheduler";

/** The backoff of unschedulable pods, in milliseconds; they are retried when the cluster changes, but not before. */
const INITIAL_BACKOFF = 1_000;
const MAX_BACKOFF = 10_000;

/** Starts the scheduler; it stops with the signal. */
export function startScheduler(context: ControllerContext, signal: AbortSignal): void {
  new Scheduler(context, signal).start();
}

interface QueuedPod {
  pod: Pod;
  attempts: number;
  /** When the pod may be retried, on the clock. */
  backoffUntil: number;
  /** Whether the cluster changed since the last attempt. */
  isRetryable: boolean;
}

class Scheduler {
  readonly #context: ControllerContext;
  readonly #signal: AbortSignal;
  readonly #cache = new SchedulerCache();
  readonly #queue = new Map<string, QueuedPod>();
  /** Pods that are being bound: the watch may still show them without a node. */
  readonly #assumed = new Map<string, string>();
  readonly #nominated = new Map<string, { readonly node: string; readonly pod: Pod }>();
  readonly #namespaces = new Map<string, Namespace>();
  readonly #budgets = new Map<string, PodDisruptionBudget>();
  readonly #claims = new Map<string, PersistentVolumeClaim>();
  readonly #volumes = new Map<string, PersistentVolume>();
  readonly #classes = new Map<string, StorageClass>();
  readonly #unsynced = new Set(["pods", "nodes"]);
  #timer: { cancel(): void } | undefined;
  #isPassPending = false;

  constructor(context: ControllerContext, signal: AbortSignal) {
    this.#context = context;
    this.#signal = signal;
    signal.addEventListener("abort", () => this.#timer?.cancel(), { once: true });
  }

  start(): void {
    const { api, clock } = this.#context;
    const common = { api, clock, signal: this.#signal };
    void runInformer<Node>({
      ...common,
      kind: Node,
      listener: {
        put: (node, old) => this.#putNode(node, old),
        removed: ({ metadata }) => this.#cache.removeNode(metadata.name),
        synced: () => this.#synced("nodes"),
      },
    });
    void runInformer<Pod>({
      ...common,
      kind: Pod,
      listener: {
        put: (pod) => this.#putPod(pod),
        removed: (pod) => this.#removePod(pod),
        synced: () => this.#synced("pods"),
      },
    });
    const retryUnschedulable = (): void => this.#retryUnschedulable();
    void runInformer<Namespace>({ ...common, kind: Namespace, listener: mapListener(this.#namespaces) });
    void runInformer<PodDisruptionBudget>({
      ...common,
      kind: PodDisruptionBudget,
      listener: mapListener(this.#budgets),
    });
    void runInformer<PersistentVolumeClaim>({
      ...common,
      kind: PersistentVolumeClaim,
      listener: mapListener(this.#claims, retryUnschedulable),
    });
    void runInformer<PersistentVolume>({
      ...common,
      kind: PersistentVolume,
      listener: mapListener(this.#volumes, retryUnschedulable),
    });
    void runInformer<StorageClass>({
      ...common,
      kind: StorageClass,
      listener: mapListener(this.#classes, retryUnschedulable),
    });
  }

  #synced(what: string): void {
    this.#unsynced.delete(what);
    this.#scheduleSoon();
  }

  #putNode(node: Node, old: Node | undefined): void {
    this.#cache.putNode(node);
    const isRelevant =
      old === undefined ||
      JSON.stringify([old.spec, old.metadata.labels, old.status?.allocatable]) !==
        JSON.stringify([node.spec, node.metadata.labels, node.status?.allocatable]);
    if (isRelevant) this.#retryUnschedulable();
  }

  #putPod(pod: Pod): void {
    const { uid } = pod.metadata;
    if ((pod.spec?.nodeName ?? "") !== "" || !isActive(pod)) {
      this.#assumed.delete(uid);
      this.#queue.delete(uid);
      this.#nominated.delete(uid);
      this.#cache.putPod(pod);
      // A finished pod frees resources, and a running pod may satisfy an affinity.
      return this.#retryUnschedulable();
    }
    if ((pod.spec?.schedulerName ?? SCHEDULER_NAME) !== SCHEDULER_NAME || this.#assumed.has(uid)) return;
    if ((pod.spec?.schedulingGates ?? []).length > 0) return void this.#queue.delete(uid);
    const known = this.#queue.get(uid);
    if (known === undefined) this.#queue.set(uid, { pod, attempts: 0, backoffUntil: 0, isRetryable: true });
    else {
      known.isRetryable ||= JSON.stringify(known.pod.spec) !== JSON.stringify(pod.spec);
      known.pod = pod;
    }
    this.#scheduleSoon();
  }

  #removePod({ metadata: { uid } }: Pod): void {
    this.#queue.delete(uid);
    this.#assumed.delete(uid);
    this.#nominated.delete(uid);
    this.#cache.removePod(uid);
    this.#retryUnschedulable();
  }

  /** Marks all queued pods as retryable after a change. */
  #retryUnschedulable(): void {
    if (this.#queue.size === 0) return;
    for (const queued of this.#queue.values()) queued.isRetryable = true;
    this.#scheduleSoon();
  }

  /** Schedules in the next microtask, so that a burst of changes is handled once. */
  #scheduleSoon(): void {
    if (this.#isPassPending || this.#unsynced.size > 0 || this.#signal.aborted) return;
    this.#isPassPending = true;
    queueMicrotask(() => {
      this.#isPassPending = false;
      if (!this.#signal.aborted) this.#scheduleDue();
    });
  }

  #scheduleDue(): void {
    const now = this.#context.clock.now();
    const due = [...this.#queue.values()].filter(({ isRetryable, backoffUntil }) => isRetryable && backoffUntil <= now);
    due.sort((a, b) => priorityOf(b.pod) - priorityOf(a.pod) || createdAt(a.pod) - createdAt(b.pod));
    for (const queued of due) this.#scheduleOne(queued);
    this.#setTimer(now);
  }

  #setTimer(now: number): void {
    this.#timer?.cancel();
    let next = Infinity;
    for (const { isRetryable, backoffUntil } of this.#queue.values())
      if (isRetryable) next = Math.min(next, backoffUntil);
    this.#timer = next === Infinity ? undefined : this.#context.clock.later(next - now, () => this.#scheduleSoon());
  }

  #scheduleOne(queued: QueuedPod): void {
    const { pod } = queued;
    const { random, clock } = this.#context;
    const nominated = this.#addNominatedPods(pod);
    const snapshot = this.#snapshot();
    const result = schedulePod(pod, snapshot, random);
    for (const uid of nominated) this.#cache.removePod(uid);
    queued.isRetryable = false;
    queued.attempts++;
    if (result.result === "node") {
      this.#queue.delete(pod.metadata.uid);
      this.#assumed.set(pod.metadata.uid, result.name);
      this.#cache.putPod(pod, result.name);
      void this.#bind(pod, result.name);
      return;
    }
    queued.backoffUntil = clock.now() + Math.min(MAX_BACKOFF, INITIAL_BACKOFF * 2 ** (queued.attempts - 1));
    void this.#handleFailure(pod, result, snapshot);
  }

  /** Adds nominated pods of equal or higher priority, so that their resources count as used. */
  #addNominatedPods(pod: Pod): readonly string[] {
    const nominated: string[] = [];
    for (const [uid, { node, pod: other }] of this.#nominated) {
      if (uid === pod.metadata.uid || priorityOf(other) < priorityOf(pod)) continue;
      this.#cache.putPod(other, node);
      nominated.push(uid);
    }
    return nominated;
  }

  #snapshot(): Snapshot {
    return {
      nodes: this.#cache.nodes,
      namespaceLabels: (name) => this.#namespaces.get(name)?.metadata.labels,
      storage: {
        claimOf: (namespace, name) => this.#claims.get(`${namespace}/${name}`),
        volumeOf: (name) => this.#volumes.get(name),
        classOf: (name) => this.#classes.get(name),
      },
    };
  }

  async #bind(pod: Pod, node: string): Promise<void> {
    const { client, log } = this.#context;
    const { namespace = "", name, uid } = pod.metadata;
    const binding = {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name, namespace, uid },
      target: { kind: "Node", name: node },
    };
    try {
      // The binding subresource takes a Binding.
      await client.create(Pod, binding as never, {
        subresource: "binding",
        fieldManager: FIELD_MANAGER,
        signal: this.#signal,
      });
      await this.#recordEvent(pod, "Normal", ["Scheduled", `Successfully assigned ${namespace}/${name} to ${node}`]);
    } catch (error) {
      if (this.#signal.aborted) return;
      this.#assumed.delete(uid);
      this.#cache.removePod(uid);
      if (isApiError(error, "NotFound", "Conflict")) return;
      log.warn(`cannot bind pod ${namespace}/${name} to node ${node}; retrying`, { error });
      const backoffUntil = this.#context.clock.now() + INITIAL_BACKOFF;
      this.#queue.set(uid, { pod, attempts: 1, backoffUntil, isRetryable: true });
      this.#setTimer(this.#context.clock.now());
    }
  }

  async #handleFailure(
    pod: Pod,
    result: Extract<ScheduleResult, { result: "none" }>,
    snapshot: Snapshot,
  ): Promise<void> {
    const isProtected = (other: Pod): boolean => this.#isProtected(other);
    const hasTerminatingVictims = this.#hasTerminatingVictims(pod);
    const preemption = hasTerminatingVictims
      ? undefined
      : findPreemption(pod, { snapshot, failures: result.failures, isProtected });
    if (preemption !== undefined) this.#nominated.set(pod.metadata.uid, { node: preemption.node, pod });
    try {
      if (preemption !== undefined) await this.#evict(pod, preemption);
      const { failures: refusals } = result;
      const cannotPreempt = preemption === undefined && refusals.size > 0;
      const messages = cannotPreempt
        ? [result.message, explainNoPreemption(pod, { failures: refusals, hasTerminatingVictims })]
        : [result.message];
      await this.#reportUnschedulable(pod, messages.join(" "), preemption?.node);
    } catch (error) {
      if (!this.#signal.aborted && !isApiError(error, "NotFound", "Conflict")) {
        this.#context.log.warn(`cannot report that pod ${pod.metadata.name} is unschedulable`, { error });
      }
    }
  }

  /** Whether victims of an earlier preemption for this pod are still terminating. */
  #hasTerminatingVictims(pod: Pod): boolean {
    const nomination = this.#nominated.get(pod.metadata.uid);
    if (nomination === undefined) return false;
    const pods = this.#cache.nodeOf(nomination.node)?.pods.values() ?? [];
    for (const { pod: other } of pods) {
      if (other.metadata.deletionTimestamp !== undefined && priorityOf(other) < priorityOf(pod)) return true;
    }
    return false;
  }

  #isProtected(pod: Pod): boolean {
    for (const { metadata, spec, status } of this.#budgets.values()) {
      if (metadata.namespace !== pod.metadata.namespace || (status?.disruptionsAllowed ?? 0) > 0) continue;
      if (matchesLabels(fromLabelSelectorObject(spec?.selector), pod.metadata.labels)) return true;
    }
    return false;
  }

  async #evict(preemptor: Pod, { victims }: Preemption): Promise<void> {
    const { client, clock } = this.#context;
    const { namespace: preemptorNamespace = "", name: preemptorName } = preemptor.metadata;
    for (const victim of victims) {
      const { namespace = "", name, uid } = victim.metadata;
      if (victim.metadata.deletionTimestamp !== undefined) continue;
      const strategic = { status: { conditions: [conditionOf(victim, preemptedCondition, clock.wall())] } };
      await client.patch(
        Pod,
        { namespace, name },
        { strategic },
        { subresource: "status", fieldManager: FIELD_MANAGER },
      );
      await client.delete(Pod, { namespace, name, preconditions: { uid } });
      await this.#recordEvent(victim, "Normal", [
        "Preempted",
        `Preempted by pod ${preemptorNamespace}/${preemptorName}`,
      ]);
    }
  }

  async #reportUnschedulable(pod: Pod, message: string, nominatedNodeName: string | undefined): Promise<void> {
    const { client, clock } = this.#context;
    const { namespace = "", name } = pod.metadata;
    const old = findCondition(pod.status?.conditions, "PodScheduled");
    if (old?.status === "False" && old.message === message && nominatedNodeName === undefined) return;
    const since = old?.status === "False" ? old.lastTransitionTime : undefined;
    const fields = { type: "PodScheduled", status: "False" as const, reason: "Unschedulable", message };
    const condition = conditionOf(pod, fields, clock.wall());
    const status = {
      conditions: [{ ...condition, ...(since !== undefined && { lastTransitionTime: since }) }],
      ...(nominatedNodeName !== undefined && { nominatedNodeName }),
    };
    const options = { subresource: "status", fieldManager: FIELD_MANAGER, signal: this.#signal };
    await client.patch(Pod, { namespace, name }, { strategic: { status } }, options);
    await this.#recordEvent(pod, "Warning", ["FailedScheduling", message]);
  }

  async #recordEvent(
    pod: Pod,
    type: SchedulerEvent["type"],
    [reason, note]: readonly [SchedulerEvent["reason"], string],
  ): Promise<void> {
    await recordEvent(this.#context, pod, { type, reason, note });
  }
}

const preemptedCondition = {
  type: "DisruptionTarget",
  status: "True",
  reason: "PreemptionByScheduler",
  message: "default-scheduler: preempting to accommodate a higher priority pod",
} as const;

function createdAt({ metadata }: Pod): number {
  return millisecondsOf(metadata.creationTimestamp);
}

function mapListener<T extends { readonly metadata: { readonly name: string; readonly namespace?: string } }>(
  kept: Map<string, T>,
  changed: () => void = () => undefined,
): { put(object: T): void; removed(object: T): void } {
  const key = ({ metadata: { namespace, name } }: T): string =>
    namespace === undefined ? name : `${namespace}/${name}`;
  return {
    put(object) {
      kept.set(key(object), object);
      changed();
    },
    removed(object) {
      kept.delete(key(object));
      changed();
    },
  };
}
