/** Everything that is known about a pod on this node at one moment: what the decisions and the status are made of. */
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
      /** How it went the last time: that is shown until it goes otherwise. */
      readonly before?: MissingImage | undefined;
    }
  | { readonly is: "present"; readonly image: ImageRecord }
  | MissingImage;

/** An image that could not be had. */
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
  /** When it is killed at the latest; monotonic. */
  readonly stopBy?: number | undefined;
}

/** The life of the current run of a container. Times ending in `At` are monotonic unless they are in an `Exit`. */
export type Life =
  | { readonly is: "waiting" }
  | ({
      readonly is: "starting";
      /** Known as soon as its program runs; its hook may take as long as it likes then. */
      readonly id?: string;
      /** Why it was not even tried the last time: that is shown until it goes otherwise. */
      readonly before?: { readonly code: NodeErrorCode; readonly message: string } | undefined;
    } & Stopping)
  | { readonly is: "refused"; readonly code: NodeErrorCode; readonly message: string; readonly retryAt: number }
  | ({
      readonly is: "running";
      readonly id: string;
      /** Calendar. */
      readonly startedAt: number;
      readonly since: number;
      /** Why it is stopped, where there is more to say than the cause. */
      readonly failure?: string | undefined;
    } & Stopping)
  | { readonly is: "exited"; readonly exit: Exit; readonly since: number };

/** A container as the node knows it. */
export interface ContainerRecord {
  readonly container: PodContainer;
  readonly image: ImageState;
  /** How long the next failure to pull holds back the next attempt. */
  readonly pullDelay: number;
  readonly life: Life;
  /** How the run before this one ended. */
  readonly last: Exit | undefined;
  readonly restarts: number;
  /** How often it ended lately; it is forgotten when a run lasts long. */
  readonly crashes: number;
  /** How long after the start of the run before the next one may start. */
  readonly restartDelay: number;
  /** When the current run was started, unless it is the first. */
  readonly restartedAt: number | undefined;
  /** Whom it ran as last. */
  readonly user: Started["user"];
  readonly probes: { readonly [kind in ProbeKind]?: ProbeState };
  readonly asking: ReadonlySet<ProbeKind>;
  /** What the node has promised to it; its spec may ask for something else that is not granted yet. */
  readonly allocated: ResourceRequirements | undefined;
  /** What its current run may use. */
  readonly actual: ResourceRequirements | undefined;
  /** What it did when the place of its pod was lost. Whoever ran then runs again in the next one, however it ended; forgotten at its next start. */
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
      /** The lost one whose place it was to take. */
      readonly replaces?: Sandbox | undefined;
    }
  | { readonly is: "ready"; readonly sandbox: Sandbox }
  /** Somebody ended it; its containers may still run. */
  | { readonly is: "lost"; readonly sandbox: Sandbox }
  | { readonly is: "removing"; readonly sandbox: Sandbox }
  | { readonly is: "removed"; readonly sandbox: Sandbox | undefined };

/** Why a pod ends although nobody deleted it. */
export interface Verdict {
  readonly reason: string;
  readonly message: string;
  /** Whether it never ran here at all. */
  readonly isRefusal?: true;
  /** How long it has to end, if not as long as it asked for. */
  readonly graceSeconds?: number;
}

/** A wish of a running pod to use more or less that is not met yet. */
export type ResizeState = (
  | Exclude<ResizeJudgement, { readonly is: "fits" }>
  | { readonly is: "in progress"; readonly message: string | undefined }
) & { readonly retryAt: number };

/** A pod and all that happened to it here. */
export interface Situation {
  readonly pod: BoundPod;
  readonly sandbox: SandboxState;
  readonly containers: ReadonlyMap<string, ContainerRecord>;
  /** Monotonic time at which the pod was accepted. */
  readonly acceptedAt: number;
  readonly verdict: Verdict | undefined;
  readonly resize: ResizeState | undefined;
}

/** Now, as delays count it and as calendars do. */
export interface Moment {
  readonly now: number;
  readonly wall: number;
}

/** A pod that this node sees for the first time; what its status tells of an earlier life is taken over. */
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

/** The situation with a newer version of its pod: ephemeral containers may have come, the rest of a pod hardly changes. */
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

/** A container whose image was changed must find its new image. */
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

/** The kubelet's patience: the first delay, the longest, and how long a container has to run for its crashes to be forgotten. */
export const delays = { first: 10_000, longest: 300_000, forgetAfter: 600_000 } as const;

/** When a container that has ended may be started again: delays count from its last start, so that a long run has waited already. */
export function restartTime({ life, restartedAt, restartDelay: delay }: ContainerRecord): number {
  return life.is === "exited" ? Math.max(life.since, (restartedAt ?? life.since) + delay) : 0;
}

/** Whether a container that has ended is started again. */
export function restarts({ container, life, atLoss }: ContainerRecord, policy: PodSpec["restartPolicy"]): boolean {
  if (life.is !== "exited") return false;
  return (
    (atLoss === "running" && container.kind !== "ephemeral") || restartsAfter(container, policy, life.exit.exitCode)
  );
}

/** The first restart is at once, then delays double. */
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

/** What ran under an earlier agent is gone with it: such a run counts as ended in a way that nobody saw. */
function earlierLife({ spec, kind }: PodContainer, pod: BoundPod, { now, wall }: Moment): Partial<ContainerRecord> {
  const seen = statusOf(spec.name, pod.status);
  if (seen === undefined) return {};
  const { running, terminated } = seen.state ?? {};
  const before = seen.lastState?.terminated;
  const last = before === undefined ? undefined : toExit(before);
  // A new sandbox is initialized anew, even where everything had been done before.
  const isOver = pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
  if (kind === "init" && !isOver && pod.spec.restartPolicy !== "Never")
    return { restarts: seen.restartCount, last: terminated === undefined ? last : toExit(terminated) };
  const known = { restarts: seen.restartCount, last, atLoss: "ended" } as const;
  if (terminated !== undefined) return { ...known, life: { is: "exited", exit: toExit(terminated), since: now } };
  if (running === undefined) return { restarts: seen.restartCount, last };
  const startedAt = timeOf(running.startedAt);
  // Whoever finds it gone says that it ended now, as container runtimes do.
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
