/** The status of a pod, as the kubelet would write it. Pure. */
import type { ContainerState, ContainerStatus, PodStatus } from "@capstan/kinds/v1";
import type { Exit, Sandbox } from "../runtime/runtime.ts";
import { restartsAfter, type ContainerKind } from "./containers.ts";
import { conditionsOf } from "./conditions.ts";
import { isReady, isStarted, phaseOf, type Phase } from "./phase.ts";
import { qosClassOf } from "@capstan/model";
import { podResources } from "./pod-resources.ts";
import { restarts, restartTime, type ContainerRecord, type Situation } from "./situation.ts";

/** What a status needs besides the situation. */
export interface StatusContext {
  /** Milliseconds since the epoch. */
  readonly wall: number;
  /** Monotonic milliseconds. */
  readonly now: number;
  readonly hostIps: readonly string[];
  /** The scheme of container ids. */
  readonly scheme: string;
}

export function statusOf(situation: Situation, context: StatusContext): PodStatus {
  const { pod, verdict } = situation;
  const phase = phaseOf(situation);
  const time = formatTime(context.wall);
  if (verdict?.isRefusal === true) return refusedStatus(situation, time);
  const { generation } = pod.metadata;
  const shown = shownPhase(situation, phase);
  const [hostIP] = context.hostIps;
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    phase: shown,
    ...(verdict === undefined || shown !== phase ? {} : { reason: verdict.reason, message: verdict.message }),
    conditions: conditionsOf(situation, phase, time),
    ...(hostIP === undefined ? {} : { hostIP, hostIPs: context.hostIps.map((ip) => ({ ip })) }),
    ...ipsOf(situation),
    startTime: pod.status?.startTime ?? time,
    qosClass: pod.status?.qosClass ?? qosClassOf(pod.spec),
    ...podResources(situation),
    ...statusesOf(situation, context),
  };
}

/** A pod is Succeeded or Failed only when all of its containers have ended. */
function shownPhase({ pod, containers }: Situation, phase: Phase): Phase {
  if (phase !== "Succeeded" && phase !== "Failed") return phase;
  const isBusy = [...containers.values()].some(({ life }) => life.is === "running" || life.is === "starting");
  const before = pod.status?.phase;
  return isBusy && (before === "Pending" || before === "Running") ? before : phase;
}

/** The status of a rejected pod has few fields. */
function refusedStatus({ pod, verdict }: Situation, time: string): PodStatus {
  const { generation } = pod.metadata;
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    phase: "Failed",
    reason: verdict?.reason ?? "",
    message: `Pod was rejected: ${verdict?.message ?? ""}`,
    startTime: pod.status?.startTime ?? time,
    qosClass: pod.status?.qosClass ?? qosClassOf(pod.spec),
  };
}

/** Times in objects have whole seconds. */
export function formatTime(wall: number): string {
  return `${new Date(wall).toISOString().slice(0, 19)}Z`;
}

function ipsOf({ sandbox, pod }: Situation): Pick<PodStatus, "podIP" | "podIPs"> {
  const ips = sandboxOf(sandbox)?.ips ?? pod.status?.podIPs?.flatMap(({ ip }) => (ip === undefined ? [] : [ip])) ?? [];
  const [podIP] = ips;
  return podIP === undefined ? {} : { podIP, podIPs: ips.map((ip) => ({ ip })) };
}

function sandboxOf(state: Situation["sandbox"]): Sandbox | undefined {
  return "sandbox" in state ? state.sandbox : undefined;
}

type Statuses = Pick<PodStatus, "initContainerStatuses" | "containerStatuses" | "ephemeralContainerStatuses">;

function statusesOf(situation: Situation, context: StatusContext): Statuses {
  const of = (...kinds: readonly ContainerKind[]): readonly ContainerStatus[] =>
    [...situation.containers.values()]
      .filter(({ container }) => kinds.includes(container.kind))
      .map((record) => containerStatus(situation, record, context));
  const init = of("init", "sidecar");
  const ephemeral = of("ephemeral");
  return {
    ...(init.length === 0 ? {} : { initContainerStatuses: init }),
    containerStatuses: of("regular"),
    ...(ephemeral.length === 0 ? {} : { ephemeralContainerStatuses: ephemeral }),
  };
}

function containerStatus(situation: Situation, record: ContainerRecord, context: StatusContext): ContainerStatus {
  const { container, image, restarts: restartCount, last } = record;
  const state = stateOf(situation, record, context);
  const isOver = record.life.is === "exited" && state.terminated === undefined;
  const before = isOver && record.life.is === "exited" ? record.life.exit : last;
  const id = idOf(record);
  return {
    name: container.spec.name,
    state,
    lastState: before === undefined ? {} : { terminated: terminatedOf(before, context) },
    ready: isReady(record),
    restartCount,
    image: container.spec.image ?? "",
    // The kubelet reports it only for created containers.
    imageID: image.is === "present" && id !== undefined ? image.image.id : "",
    ...(id === undefined ? {} : { containerID: `${context.scheme}://${id}` }),
    ...(container.kind === "ephemeral" ? {} : { started: isStarted(record) }),
    ...resourcesOf(record),
    ...userOf(record),
    ...mountsOf(record),
  };
}

function idOf({ life, last }: ContainerRecord): string | undefined {
  const id = life.is === "running" ? life.id : life.is === "exited" ? life.exit.id : last?.id;
  return id === "" ? undefined : id;
}

function resourcesOf({
  life,
  last,
  allocated,
  actual,
}: ContainerRecord): Pick<ContainerStatus, "resources" | "allocatedResources"> {
  if (life.is !== "running" && life.is !== "exited" && last === undefined) return {};
  return {
    resources: actual ?? {},
    ...(allocated?.requests === undefined ? {} : { allocatedResources: allocated.requests }),
  };
}

function userOf({ user }: ContainerRecord): Pick<ContainerStatus, "user"> {
  if (user === undefined) return {};
  const { uid, gid, groups } = user;
  return { user: { linux: { uid, gid, supplementalGroups: [...groups] } } };
}

function mountsOf({ container }: ContainerRecord): Pick<ContainerStatus, "volumeMounts"> {
  const mounts = container.spec.volumeMounts ?? [];
  if (mounts.length === 0) return {};
  return {
    volumeMounts: mounts.map(({ name, mountPath, readOnly }) =>
      readOnly === true ? { name, mountPath, readOnly, recursiveReadOnly: "Disabled" } : { name, mountPath },
    ),
  };
}

function stateOf(situation: Situation, record: ContainerRecord, context: StatusContext): ContainerState {
  const { life } = record;
  const repeated = repeatedState(situation, record, context);
  if (repeated !== undefined) return repeated;
  switch (life.is) {
    case "running":
      return life.failure === undefined
        ? { running: { startedAt: formatTime(life.startedAt) } }
        : { waiting: { reason: "PostStartHookError", message: life.failure } };
    case "exited":
      return waitsForRestart(situation, record, context)
        ? { waiting: heldBack(situation, record, context) }
        : { terminated: terminatedOf(life.exit, context) };
    case "refused":
      return { waiting: { reason: life.code, message: life.message } };
    case "starting":
      if (life.before !== undefined) return { waiting: { reason: life.before.code, message: life.before.message } };
      return { waiting: waitingOf(situation, record, context) };
    case "waiting":
      return { waiting: waitingOf(situation, record, context) };
  }
}

/** API servers reject a status in which a completed container leaves `terminated`, although it runs again in a new sandbox. */
function repeatedState(
  situation: Situation,
  record: ContainerRecord,
  context: StatusContext,
): ContainerState | undefined {
  const { container, life, last } = record;
  const { restartPolicy } = situation.pod.spec;
  if (life.is === "exited") {
    const isOnlyLost = restarts(record, restartPolicy) && !restartsAfter(container, restartPolicy, life.exit.exitCode);
    return isOnlyLost ? { waiting: waitingOf(situation, record, context) } : undefined;
  }
  const isDone = container.kind === "init" && restartPolicy === "OnFailure" && last?.exitCode === 0;
  return isDone ? { terminated: terminatedOf(last, context) } : undefined;
}

/** A container in backoff is shown as waiting; one that restarts at once, as terminated. */
function waitsForRestart(
  { pod, verdict, sandbox }: Situation,
  record: ContainerRecord,
  { now }: StatusContext,
): boolean {
  if (record.life.is !== "exited" || restartTime(record) <= now || sandbox.is !== "ready") return false;
  if (verdict !== undefined || pod.metadata.deletionTimestamp !== undefined) return false;
  return restarts(record, pod.spec.restartPolicy);
}

/** A program that could not be started is first shown as terminated. */
function heldBack(
  situation: Situation,
  record: ContainerRecord,
  { now }: StatusContext,
): { readonly reason: string; readonly message: string } {
  const { life } = record;
  const isFresh = life.is === "exited" && life.exit.reason === "StartError" && now < life.since + failureShown;
  return isFresh ? { reason: "RunContainerError", message: life.exit.message ?? "" } : crashLoop(situation, record);
}

/** The kubelet's message for a container in backoff. */
export function crashLoop(
  { pod }: Situation,
  { container, restartDelay }: ContainerRecord,
): { readonly reason: string; readonly message: string } {
  const { name, namespace, uid } = pod.metadata;
  const message = `back-off ${formatDelay(restartDelay)} restarting failed container=${container.spec.name} pod=${name}_${namespace}(${uid})`;
  return { reason: "CrashLoopBackOff", message };
}

/** A delay as Go prints durations: 10s, 1m20s, 5m0s. */
function formatDelay(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}

function waitingOf(
  { pod }: Situation,
  { image, container }: ContainerRecord,
  { now }: StatusContext,
): { readonly reason: string; readonly message?: string } {
  const missing = image.is === "pulling" ? image.before : image;
  if (missing?.is === "missing") {
    const isFresh = missing.code !== "ErrImagePull" || now < missing.failedAt + failureShown;
    if (isFresh) return { reason: missing.code, message: missing.message };
    return {
      reason: "ImagePullBackOff",
      message: `Back-off pulling image "${container.spec.image}": ${missing.code}: ${missing.message}`,
    };
  }
  return { reason: (pod.spec.initContainers ?? []).length > 0 ? "PodInitializing" : "ContainerCreating" };
}

/** How long a failed pull is shown as such, before it is shown as ImagePullBackOff. */
export const failureShown = 2000;

function terminatedOf(exit: Exit, { scheme }: StatusContext): NonNullable<ContainerState["terminated"]> {
  return {
    exitCode: exit.exitCode,
    ...(exit.signal === undefined ? {} : { signal: exit.signal }),
    reason: exit.reason,
    ...(exit.message === undefined ? {} : { message: exit.message }),
    startedAt: formatTime(exit.startedAt),
    finishedAt: formatTime(exit.finishedAt),
    ...(exit.id === "" ? {} : { containerID: `${scheme}://${exit.id}` }),
  };
}
