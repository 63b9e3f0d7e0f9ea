/** The state that the steps of a worker share: the situation of one pod, the ways to change it, and the tools of its node. */
import type { Clock } from "@capstan/client";
import type { PodStatus } from "@capstan/kinds/v1";
import type { PullLogins } from "../agent/pull-secrets.ts";
import { NodeError } from "../errors.ts";
import type { Runtime, Sandbox, Volumes } from "../runtime/runtime.ts";
import type { BoundPod } from "./containers.ts";
import type { PodEvent } from "./events.ts";
import type { ResizeJudgement } from "./resize.ts";
import type { ContainerRecord, Situation } from "./situation.ts";

/** What a worker needs from its node. */
export interface WorkerTools {
  readonly runtime: Runtime;
  readonly clock: Clock;
  readonly hostIps: readonly string[];
  /** The scheme of container ids. */
  readonly scheme: string;
  readonly volumes: (pod: BoundPod, how?: { readonly isRefresh: boolean }) => Promise<Volumes>;
  /** The registry credentials of the pod. */
  readonly pullSecrets: (pod: BoundPod) => PullLogins;
  /** The pull secrets that the pod names and that do not exist. */
  readonly missingPullSecrets: (pod: BoundPod) => Promise<readonly string[]>;
  /** The handler of the pod's RuntimeClass. */
  readonly handler: (pod: BoundPod) => Promise<string>;
  readonly environment: (order: {
    readonly pod: BoundPod;
    readonly container: string;
    readonly sandbox: Sandbox;
  }) => Promise<ReadonlyMap<string, string>>;
  /** Why the pod is rejected; `undefined` if it is admitted. */
  readonly admit: (pod: BoundPod) => { readonly reason: string; readonly message: string } | undefined;
  /** Whether the node has capacity for a resize of a pod. */
  readonly judgeResize: (pod: BoundPod) => ResizeJudgement;
  readonly report: (pod: BoundPod, status: PodStatus, extent?: "changes" | "whole") => void;
  readonly record: (pod: BoundPod, event: PodEvent) => void;
  /** Deletes the pod at the API server after everything has ended. */
  readonly forget: (pod: BoundPod) => Promise<void>;
  /** Called when nothing of the pod is left on the node. */
  readonly ended: (pod: BoundPod) => void;
}

/** The shared state of one pod; only its worker has it. */
export class Bench {
  readonly tools: WorkerTools;
  /** Schedules another decision. */
  readonly wake: () => void;
  #situation: Situation;

  constructor(situation: Situation, tools: WorkerTools, wake: () => void) {
    this.#situation = situation;
    this.tools = tools;
    this.wake = wake;
  }

  get situation(): Situation {
    return this.#situation;
  }

  set(change: Partial<Situation>): void {
    this.#situation = { ...this.#situation, ...change };
  }

  recordOf(name: string): ContainerRecord {
    const record = this.#situation.containers.get(name);
    if (record === undefined) throw new NodeError("Internal", `the pod has no container ${name}`);
    return record;
  }

  /** Changes the record of one container. */
  change(name: string, change: Partial<ContainerRecord>): void {
    const containers = new Map(this.#situation.containers);
    containers.set(name, { ...this.recordOf(name), ...change });
    this.set({ containers });
  }

  /** Records an event about the pod or one of its containers. */
  tell(type: PodEvent["type"], reason: string, message: string, container?: string): void {
    this.tools.record(this.#situation.pod, { type, reason, message, container });
  }
}
