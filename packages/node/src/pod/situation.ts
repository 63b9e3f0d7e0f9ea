/** The state of a pod on this node at one moment: the input of decisions and status. */
import type { ContainerState, ContainerStatus, PodSpec, PodStatus, ResourceRequirements } from "@capstan/kinds/v1";
import type { ProbeKind, ProbeState } from "../probe/state.ts";
import type { Exit, ImageRecord, Sandbox, Started } from "../runtime/runtime.ts";
import type { NodeErrorCode } from "../errors.ts";
import { type BoundPod, containersOf, type PodContainer, restartsAfter } from "./containers.ts";
import type { ResizeJudgement } from "./resize.ts";

/** The image of a container. */
export type ImageState =
  | { readonly is: "unknown" }
  | {
      readonly is: "pulling";
      /** The result of the previous pull, which is shown until the next one ends. */
      readonly before?: MissingImage | undefined;
    }
  | { readonly is: "present"; readonly image: ImageRecord }
  | MissingImage;

/** An image that could not be pulled. */
export interface MissingImage {
  readonly is: "missing";
  readonly code: NodeErrorCode;
  readonly message: string;
  readonly failedAt: number;
  readonly retryAt: number;
}

/** Why a container is being stopped. */
export type StopCause = "deleted" | "unhealthy" | "unstarted" | "finished" | "deadline" | "hook" | "resize";

/** Whether a container is being stopped. */
export interface Stopping {
  readonly stopping?: StopCause | undefined;
  /** The monotonic time at which it is killed. */
  readonly stopBy?: number | undefined;
}

/** The current run of a container. Times ending in `At` are monotonic, except in an `Exit`. */
export type Life =
  | { readonly is: "waiting" }
  | ({
      readonly is: "starting";
      /** Set as soon as its program runs; the postStart hook may take any time after that. */
      readonly id?: string;
      /** The error of the previous attempt to start, which is shown until the next one ends. */
      readonly before?: { readonly code: NodeErrorCode; readonly message: string } | undefined;
    } & Stopping)
  | { readonly is: "refused"; readonly code: NodeErrorCode; readonly message: string; readonly retryAt: number }
  | ({
      readonly is: "running";
      readonly id: string;
      /** Milliseconds since the epoch. */
      readonly startedAt: number;
      readonly since: number;
      /** Details of why it is stopped, beyond the cause. */
      readonly failure?: string | undefined;
    } & Stopping)
  | { readonly is: "exited"; readonly exit: Exit; readonly since: number };

/** The node's record of a container. */
export interface ContainerRecord {
  readonly container: PodContainer;
  readonly image: ImageState;
  /** The backoff after the next failed pull. */
  readonly pullDelay: number;
  readonly life: Life;
  /** The exit of the previous run. */
  readonly last: Exit | undefined;
  readonly restarts: number;
  /** The number of recent exits; a long run resets it. */
  readonly crashes: number;
  /** The backoff, counted from the start of the previous run. */
  readonly restartDelay: number;
  /** When the current run was started, unless it is the first. */
  readonly restartedAt: number | undefined;
  /** The user of the last run. */
  readonly user: Started["user"];
  readonly probes: { readonly [kind in ProbeKind]?: ProbeState };
  readonly asking: ReadonlySet<ProbeKind>;
  /** The allocated resources; its spec may request others that are not granted yet. */
  readonly allocated: ResourceRequirements | undefined;
  /** The resources of its current run. */
  readonly actual: ResourceRequirements | undefined;
  /**
   * Its state when the sandbox of its pod was lost. A container that was running then runs again in the next sandbox, whatever its exit
   * code; reset at its next start.
   */
  readonly atLoss: "running" | "ended" | undefined;
}

/** The sandbox of a pod. */
export type SandboxState =
  | { readonly is: "absent" }
  | { readonly is: "preparing" }
  | {
      readonly is: "refused";
      readonly code: NodeErrorCode;
      readonly message: string;
      readonly retryAt: number;
      /** The lost sandbox that it was to replace. */
      readonly replaces?: Sandbox | undefined;
    }
  | { readonly is: "ready"; readonly sandbox: Sandbox }
  /** Its holder process was killed; its containers may still run. */
  | { readonly is: "lost"; readonly sandbox: Sandbox }
  | { readonly is: "removing"; readonly sandbox: Sandbox }
  | { readonly is: "removed"; readonly sandbox: Sandbox | undefined };

/** Why a pod ends without having been deleted. */
export interface Verdict {
  readonly reason: string;
  readonly message: string;
  /** Whether it was rejected and never ran here. */
  readonly isRefusal?: true;
  /** The grace period, if it differs from that of the pod. */
  readonly graceSeconds?: number;
}

/** A resize of a running pod that is not complete. */
export type ResizeState = (
  | Exclude<ResizeJudgement, { readonly is: "fits" }>
  | { readonly is: "in progress"; readonly message: string | undefined }
) & { readonly retryAt: number };

/** A pod and its state on this node. */
export interface Situation {
  readonly pod: BoundPod;
  readonly sandbox: SandboxState;
  readonly containers: ReadonlyMap<string, ContainerRecord>;
  /** Monotonic time at which the pod was accepted. */
  readonly acceptedAt: number;
  readonly verdict: Verdict | undefined;
  readonly resize: ResizeState | undefined;
}

/** The current time, monotonic and as milliseconds since the epoch. */
export interface Moment {
  readonly now: number;
  readonly wall: number;
}

/** The situation of a pod that is new to this agent; its status of an earlier run of the node is taken over. */
export function firstSituation(pod: BoundPod, at: Moment): Situation {
  const containers = containersOf(pod.spec).map((one): [string, ContainerRecord] => [
    one.spec.name,
    firstRecord(one, pod, at),
  ]);
  const ended = pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
  const verdict =
    ended && pod.status?.reason !== undefined
      ? { reason: pod.status.reason, message: pod.status.message ?? "" }
      : undefined;
  return {
    pod,
    sandbox: ended ? { is: "removed", sandbox: undefined } : { is: "absent" },
    containers: new Map(containers),
    acceptedAt: at.now,
    verdict,
    resize: undefined,
  };
}

/** The situation with a newer version of its pod: ephemeral containers may be new, and little else changes. */
export function withPod(situation: Situation, pod: BoundPod, at: Moment): Situation {
  const containers = new Map<string, ContainerRecord>();
  for (const one of containersOf(pod.spec)) {
    const known = situation.containers.get(one.spec.name);
    const record = known === undefined ? firstRecord(one, pod, at) : renewed(known, one);
    containers.set(one.spec.name, record);
  }
  const isNewWish = pod.metadata.generation !== situation.pod.metadata.generation;
  return { ...situation, pod, containers, ...(isNewWish && situation.resize ? { resize: undefined } : {}) };
}

/** After a change of its image, a container needs the new image. */
function renewed(known: ContainerRecord, container: PodContainer): ContainerRecord {
  const sameImage = known.container.spec.image === container.spec.image;
  const isIdle = known.life.is !== "running";
  return {
    ...known,
    container,
    image: sameImage ? known.image : { is: "unknown" },
    ...(isIdle ? { allocated: container.spec.resources } : {}),
  };
}

/** The backoff of the kubelet: the first delay, the longest, and how long a container has to run to reset its crashes. */
export const delays = { first: 10_000, longest: 300_000, forgetAfter: 600_000 } as const;

/** When an exited container may be restarted: delays count from its last start, so that a long run needs no further delay. */
export function restartTime({ life, restartedAt, restartDelay: delay }: ContainerRecord): number {
  return life.is === "exited" ? Math.max(life.since, (restartedAt ?? life.since) + delay) : 0;
}

/** Whether an exited container is restarted. */
export function restarts({ container, life, atLoss }: ContainerRecord, policy: PodSpec["restartPolicy"]): boolean {
  if (life.is !== "exited") return false;
  return (
    (atLoss === "running" && container.kind !== "ephemeral") || restartsAfter(container, policy, life.exit.exitCode)
  );
}

/** The first restart is immediate, then delays double. */
export function restartDelay(crashes: number): number {
  return crashes === 0 ? 0 : Math.min(delays.longest, delays.first * 2 ** (crashes - 1));
}

function firstRecord(container: PodContainer, pod: BoundPod, at: Moment): ContainerRecord {
  const record: ContainerRecord = {
    container,
    image: { is: "unknown" },
    pullDelay: delays.first,
    life: { is: "waiting" },
    last: undefined,
    restarts: 0,
    crashes: 0,
    restartDelay: 0,
    restartedAt: undefined,
    user: undefined,
    probes: {},
    asking: new Set(),
    allocated: container.spec.resources,
    actual: undefined,
    atLoss: undefined,
  };
  return { ...record, ...earlierLife(container, pod, at) };
}

/** Containers of an earlier agent are gone: such a run counts as ended with an unknown exit. */
function earlierLife({ spec, kind }: PodContainer, pod: BoundPod, { now, wall }: Moment): Partial<ContainerRecord> {
  const seen = statusOf(spec.name, pod.status);
  if (seen === undefined) return {};
  const { running, terminated } = seen.state ?? {};
  const before = seen.lastState?.terminated;
  const last = before === undefined ? undefined : toExit(before);
  // Init containers run again in a new sandbox, even if all of them had succeeded.
  const isOver = pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
  if (kind === "init" && !isOver && pod.spec.restartPolicy !== "Never")
    return { restarts: seen.restartCount, last: terminated === undefined ? last : toExit(terminated) };
  const known = { restarts: seen.restartCount, last, atLoss: "ended" } as const;
  if (terminated !== undefined) return { ...known, life: { is: "exited", exit: toExit(terminated), since: now } };
  if (running === undefined) return { restarts: seen.restartCount, last };
  const startedAt = timeOf(running.startedAt);
  // The end of a lost container is reported as now, as container runtimes do.
  const exit = { id: idOf(seen.containerID), exitCode: 255, reason: "Unknown", startedAt, finishedAt: wall };
  return { ...known, life: { is: "exited", exit, since: now } };
}

function statusOf(container: string, status: PodStatus = {}): ContainerStatus | undefined {
  const { initContainerStatuses = [], containerStatuses = [], ephemeralContainerStatuses = [] } = status;
  const all = [...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses];
  return all.find(({ name }) => name === container);
}

function toExit(ended: NonNullable<ContainerState["terminated"]>): Exit {
  return {
    id: idOf(ended.containerID),
    exitCode: ended.exitCode,
    reason: ended.reason ?? (ended.exitCode === 0 ? "Completed" : "Error"),
    ...(ended.message === undefined ? {} : { message: ended.message }),
    ...(ended.signal === undefined ? {} : { signal: ended.signal }),
    startedAt: timeOf(ended.startedAt),
    finishedAt: timeOf(ended.finishedAt),
  };
}

function timeOf(text: string | undefined): number {
  return text === undefined ? 0 : Date.parse(text);
}

function idOf(containerID: string | undefined): string {
  return containerID?.replace(/^[a-z-]+:\/\//, "") ?? "";
}
