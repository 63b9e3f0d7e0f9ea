/** Gives pods their nodes: one pod at a time, the most important first, each decision on a world that knows all earlier ones. */
import { isApiError } from "@capstan/client";
import { StorageClass } from "@capstan/kinds/storage.k8s.io/v1";
import { Namespace, Node, PersistentVolume, PersistentVolumeClaim, Pod } from "@capstan/kinds/v1";
import { PodDisruptionBudget } from "@capstan/kinds/policy/v1";
import { findCondition, fromLabelSelectorObject, matchesLabels } from "@capstan/model";
import { follow } from "../follow/follow.ts";
import { conditionOf } from "../pod/condition.ts";
import { isActive, millisecondsOf } from "../pod/state.ts";
import type { Setting } from "../setting.ts";
import { choose } from "./choose.ts";
import type { Choice } from "./choose.ts";
import type { Surroundings } from "./neighbours.ts";
import { explainNoPreemption } from "./no-preemption.ts";
import { preemptionFor, priorityOf } from "./preempt.ts";
import type { Preemption } from "./preempt.ts";
import { recordEvent } from "./event.ts";
import type { Note } from "./event.ts";
import { ClusterView } from "./view.ts";

/** The name under which pods ask for this scheduler, and under which it writes. */
export const SCHEDULER = "default-scheduler";
const MANAGER = "kube-scheduler";

/** A pod that found no node is tried again when something changes, but not sooner than this, in milliseconds. */
const FIRST_REST = 1_000;
const LONGEST_REST = 10_000;

/** Starts the scheduler; it ends with the signal. */
export function startScheduler(setting: Setting, signal: AbortSignal): void {
  new Scheduler(setting, signal).start();
}

interface Waiting {
  pod: Pod;
  attempts: number;
  /** When it may be tried again, on the clock. */
  notBefore: number;
  /** Whether something changed since it was last tried. */
  isHopeful: boolean;
}

class Scheduler {
  readonly #setting: Setting;
  readonly #signal: AbortSignal;
  readonly #view = new ClusterView();
  readonly #waiting = new Map<string, Waiting>();
  /** Pods whose binding is under way: the watch may still show them without a node. */
  readonly #assumed = new Map<string, string>();
  readonly #nominated = new Map<string, { readonly node: string; readonly pod: Pod }>();
  readonly #namespaces = new Map<string, Namespace>();
  readonly #budgets = new Map<string, PodDisruptionBudget>();
  readonly #claims = new Map<string, PersistentVolumeClaim>();
  readonly #volumes = new Map<string, PersistentVolume>();
  readonly #classes = new Map<string, StorageClass>();
  readonly #unsynced = new Set(["pods", "nodes"]);
  #timer: { cancel(): void } | undefined;
  #isScheduled = false;

  constructor(setting: Setting, signal: AbortSignal) {
    this.#setting = setting;
    this.#signal = signal;
    signal.addEventListener("abort", () => this.#timer?.cancel(), { once: true });
  }

  start(): void {
    const { api, clock } = this.#setting;
    const common = { api, clock, signal: this.#signal };
    void follow<Node>({
      ...common,
      kind: Node,
      listener: {
        put: (node, old) => this.#putNode(node, old),
        removed: ({ metadata }) => this.#view.removeNode(metadata.name),
        synced: () => this.#synced("nodes"),
      },
    });
    void follow<Pod>({
      ...common,
      kind: Pod,
      listener: {
        put: (pod) => this.#putPod(pod),
        removed: (pod) => this.#removePod(pod),
        synced: () => this.#synced("pods"),
      },
    });
    const hope = (): void => this.#hope();
    void follow<Namespace>({ ...common, kind: Namespace, listener: keeping(this.#namespaces) });
    void follow<PodDisruptionBudget>({ ...common, kind: PodDisruptionBudget, listener: keeping(this.#budgets) });
    void follow<PersistentVolumeClaim>({
      ...common,
      kind: PersistentVolumeClaim,
      listener: keeping(this.#claims, hope),
    });
    void follow<PersistentVolume>({ ...common, kind: PersistentVolume, listener: keeping(this.#volumes, hope) });
    void follow<StorageClass>({ ...common, kind: StorageClass, listener: keeping(this.#classes, hope) });
  }

  #synced(what: string): void {
    this.#unsynced.delete(what);
    this.#soon();
  }

  #putNode(node: Node, old: Node | undefined): void {
    this.#view.putNode(node);
    const isNews =
      old === undefined ||
      JSON.stringify([old.spec, old.metadata.labels, old.status?.allocatable]) !==
        JSON.stringify([node.spec, node.metadata.labels, node.status?.allocatable]);
    if (isNews) this.#hope();
  }

  #putPod(pod: Pod): void {
    const { uid } = pod.metadata;
    if ((pod.spec?.nodeName ?? "") !== "" || !isActive(pod)) {
      this.#assumed.delete(uid);
      this.#waiting.delete(uid);
      this.#nominated.delete(uid);
      this.#view.putPod(pod);
      // A pod that ended makes room, and a pod that runs may be somebody's company.
      return this.#hope();
    }
    if ((pod.spec?.schedulerName ?? SCHEDULER) !== SCHEDULER || this.#assumed.has(uid)) return;
    if ((pod.spec?.schedulingGates ?? []).length > 0) return void this.#waiting.delete(uid);
    const known = this.#waiting.get(uid);
    if (known === undefined) this.#waiting.set(uid, { pod, attempts: 0, notBefore: 0, isHopeful: true });
    else {
      known.isHopeful ||= JSON.stringify(known.pod.spec) !== JSON.stringify(pod.spec);
      known.pod = pod;
    }
    this.#soon();
  }

  #removePod({ metadata: { uid } }: Pod): void {
    this.#waiting.delete(uid);
    this.#assumed.delete(uid);
    this.#nominated.delete(uid);
    this.#view.removePod(uid);
    this.#hope();
  }

  /** Something changed: pods that found no node may find one now. */
  #hope(): void {
    if (this.#waiting.size === 0) return;
    for (const waiting of this.#waiting.values()) waiting.isHopeful = true;
    this.#soon();
  }

  /** Schedules in a turn of its own, so that a burst of changes is seen as one. */
  #soon(): void {
    if (this.#isScheduled || this.#unsynced.size > 0 || this.#signal.aborted) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      if (!this.#signal.aborted) this.#schedule();
    });
  }

  #schedule(): void {
    const now = this.#setting.clock.now();
    const due = [...this.#waiting.values()].filter(({ isHopeful, notBefore }) => isHopeful && notBefore <= now);
    due.sort((a, b) => priorityOf(b.pod) - priorityOf(a.pod) || createdAt(a.pod) - createdAt(b.pod));
    for (const waiting of due) this.#place(waiting);
    this.#wakeLater(now);
  }

  #wakeLater(now: number): void {
    this.#timer?.cancel();
    let next = Infinity;
    for (const { isHopeful, notBefore } of this.#waiting.values()) if (isHopeful) next = Math.min(next, notBefore);
    this.#timer = next === Infinity ? undefined : this.#setting.clock.later(next - now, () => this.#soon());
  }

  #place(waiting: Waiting): void {
    const { pod } = waiting;
    const { random, clock } = this.#setting;
    const reserved = this.#reserve(pod);
    const around = this.#surroundings();
    const choice = choose(pod, around, random);
    for (const uid of reserved) this.#view.removePod(uid);
    waiting.isHopeful = false;
    waiting.attempts++;
    if (choice.choice === "node") {
      this.#waiting.delete(pod.metadata.uid);
      this.#assumed.set(pod.metadata.uid, choice.name);
      this.#view.putPod(pod, choice.name);
      void this.#bind(pod, choice.name);
      return;
    }
    waiting.notBefore = clock.now() + Math.min(LONGEST_REST, FIRST_REST * 2 ** (waiting.attempts - 1));
    void this.#refuse(pod, choice, around);
  }

  /** Room that was made for more important pods is taken, as far as others are concerned. */
  #reserve(pod: Pod): readonly string[] {
    const reserved: string[] = [];
    for (const [uid, { node, pod: other }] of this.#nominated) {
      if (uid === pod.metadata.uid || priorityOf(other) < priorityOf(pod)) continue;
      this.#view.putPod(other, node);
      reserved.push(uid);
    }
    return reserved;
  }

  #surroundings(): Surroundings {
    return {
      nodes: this.#view.nodes,
      namespaceLabels: (name) => this.#namespaces.get(name)?.metadata.labels,
      storage: {
        claimOf: (namespace, name) => this.#claims.get(`${namespace}/${name}`),
        volumeOf: (name) => this.#volumes.get(name),
        classOf: (name) => this.#classes.get(name),
      },
    };
  }

  async #bind(pod: Pod, node: string): Promise<void> {
    const { client, log } = this.#setting;
    const { namespace = "", name, uid } = pod.metadata;
    const binding = {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name, namespace, uid },
      target: { kind: "Node", name: node },
    };
    try {
      // A Binding is what this subresource of pods takes.
      await client.create(Pod, binding as never, {
        subresource: "binding",
        fieldManager: MANAGER,
        signal: this.#signal,
      });
      await this.#tell(pod, "Normal", ["Scheduled", `Successfully assigned ${namespace}/${name} to ${node}`]);
    } catch (error) {
      if (this.#signal.aborted) return;
      this.#assumed.delete(uid);
      this.#view.removePod(uid);
      if (isApiError(error, "NotFound", "Conflict")) return;
      log.warn(`could not bind pod ${namespace}/${name} to node ${node}; it is tried again`, { error });
      const notBefore = this.#setting.clock.now() + FIRST_REST;
      this.#waiting.set(uid, { pod, attempts: 1, notBefore, isHopeful: true });
      this.#wakeLater(this.#setting.clock.now());
    }
  }

  async #refuse(pod: Pod, choice: Extract<Choice, { choice: "none" }>, around: Surroundings): Promise<void> {
    const isProtected = (other: Pod): boolean => this.#isProtected(other);
    const isClearing = this.#isClearing(pod);
    const preemption = isClearing ? undefined : preemptionFor(pod, { around, refusals: choice.refusals, isProtected });
    if (preemption !== undefined) this.#nominated.set(pod.metadata.uid, { node: preemption.node, pod });
    try {
      if (preemption !== undefined) await this.#evict(pod, preemption);
      const { refusals } = choice;
      const isVain = preemption === undefined && refusals.size > 0;
      const words = isVain ? [choice.message, explainNoPreemption(pod, { refusals, isClearing })] : [choice.message];
      await this.#sayUnschedulable(pod, words.join(" "), preemption?.node);
    } catch (error) {
      if (!this.#signal.aborted && !isApiError(error, "NotFound", "Conflict")) {
        this.#setting.log.warn(`could not report on pod ${pod.metadata.name}`, { error });
      }
    }
  }

  /** Whether victims of an earlier preemption for this pod are still on their way out. */
  #isClearing(pod: Pod): boolean {
    const nomination = this.#nominated.get(pod.metadata.uid);
    if (nomination === undefined) return false;
    const pods = this.#view.nodeOf(nomination.node)?.pods.values() ?? [];
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
    const { client, clock } = this.#setting;
    const { namespace: home = "", name: who } = preemptor.metadata;
    for (const victim of victims) {
      const { namespace = "", name, uid } = victim.metadata;
      if (victim.metadata.deletionTimestamp !== undefined) continue;
      const strategic = { status: { conditions: [conditionOf(victim, preempted, clock.wall())] } };
      await client.patch(Pod, { namespace, name }, { strategic }, { subresource: "status", fieldManager: MANAGER });
      await client.delete(Pod, { namespace, name, preconditions: { uid } });
      await this.#tell(victim, "Normal", ["Preempted", `Preempted by pod ${home}/${who}`]);
    }
  }

  async #sayUnschedulable(pod: Pod, message: string, nominatedNodeName: string | undefined): Promise<void> {
    const { client, clock } = this.#setting;
    const { namespace = "", name } = pod.metadata;
    const old = findCondition(pod.status?.conditions, "PodScheduled");
    if (old?.status === "False" && old.message === message && nominatedNodeName === undefined) return;
    const since = old?.status === "False" ? old.lastTransitionTime : undefined;
    const told = { type: "PodScheduled", status: "False" as const, reason: "Unschedulable", message };
    const condition = conditionOf(pod, told, clock.wall());
    const status = {
      conditions: [{ ...condition, ...(since !== undefined && { lastTransitionTime: since }) }],
      ...(nominatedNodeName !== undefined && { nominatedNodeName }),
    };
    const options = { subresource: "status", fieldManager: MANAGER, signal: this.#signal };
    await client.patch(Pod, { namespace, name }, { strategic: { status } }, options);
    await this.#tell(pod, "Warning", ["FailedScheduling", message]);
  }

  async #tell(pod: Pod, type: Note["type"], [reason, note]: readonly [Note["reason"], string]): Promise<void> {
    await recordEvent(this.#setting, pod, { type, reason, note });
  }
}

const preempted = {
  type: "DisruptionTarget",
  status: "True",
  reason: "PreemptionByScheduler",
  message: "default-scheduler: preempting to accommodate a higher priority pod",
} as const;

function createdAt({ metadata }: Pod): number {
  return millisecondsOf(metadata.creationTimestamp);
}

function keeping<T extends { readonly metadata: { readonly name: string; readonly namespace?: string } }>(
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
