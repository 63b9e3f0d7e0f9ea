/** Decides the next steps of a pod: from its situation, the actions to take now and when to decide again. Pure. */
import type { Probe } from "@capstan/kinds/v1";
import type { ProbeKind } from "../probe/state.ts";
import type { Exit } from "../runtime/runtime.ts";
import { failureShown } from "./status.ts";
import { isInitialized, isStarted, phaseOf } from "./phase.ts";
import { resizedContainers } from "./resize.ts";
import { restarts, restartTime } from "./situation.ts";
import type { ContainerRecord, Situation, StopCause, Verdict } from "./situation.ts";

/** One step. A step that takes time is marked in the situation before it begins, so that it is not decided twice. */
export type Action =
  | { readonly do: "prepare" }
  | { readonly do: "pull"; readonly container: string }
  | { readonly do: "start"; readonly container: string }
  | {
      readonly do: "stop";
      readonly container: string;
      readonly graceSeconds: number;
      readonly because: StopCause;
    }
  | { readonly do: "probe"; readonly container: string; readonly probe: ProbeKind }
  /** The resources of running containers have to change. */
  | { readonly do: "resize" }
  /** The pod has exceeded its active deadline. */
  | { readonly do: "condemn"; readonly verdict: Verdict }
  | { readonly do: "teardown" }
  /** Everything has ended and the API server waits for the deletion. */
  | { readonly do: "forget" };

/** What to do now, and the monotonic time of the next decision. */
export interface Plan {
  readonly actions: readonly Action[];
  readonly wakeAt: number;
}

const nothing: Plan = { actions: [], wakeAt: Infinity };
const prepare: Plan = { actions: [{ do: "prepare" }], wakeAt: Infinity };

/** The next steps of a pod. */
export function decide(situation: Situation, now: number): Plan {
  const phase = phaseOf(situation);
  const condemned = situation.verdict !== undefined || situation.pod.metadata.deletionTimestamp !== undefined;
  if (condemned || phase === "Succeeded" || phase === "Failed") return end(situation, now);
  const deadline = deadlineOf(situation);
  if (deadline <= now) return { actions: [{ do: "condemn", verdict: outOfTime }], wakeAt: now };
  return join([{ actions: [], wakeAt: deadline }, live(situation, now)]);
}

const outOfTime: Verdict = {
  reason: "DeadlineExceeded",
  message: "Pod was active on the node longer than the specified deadline",
};

function deadlineOf({ pod, acceptedAt }: Situation): number {
  const seconds = pod.spec.activeDeadlineSeconds;
  return seconds === undefined ? Infinity : acceptedAt + seconds * 1000;
}

function join(plans: readonly Plan[]): Plan {
  return {
    actions: plans.flatMap(({ actions }) => actions),
    wakeAt: plans.reduce((earliest, { wakeAt }) => Math.min(earliest, wakeAt), Infinity),
  };
}

/** Ends a pod: first all containers except sidecars, then the sidecars in reverse order, then the sandbox. */
function end(situation: Situation, now: number): Plan {
  const stops = stopAll(situation, now);
  if (stops !== undefined) return stops;
  switch (situation.sandbox.is) {
    case "ready":
    case "lost":
      return { actions: [{ do: "teardown" }], wakeAt: Infinity };
    case "preparing":
    case "removing":
      return nothing;
    case "absent":
    case "refused":
    case "removed":
      return situation.pod.metadata.deletionTimestamp === undefined
        ? nothing
        : { actions: [{ do: "forget" }], wakeAt: Infinity };
  }
}

/** The steps that end all containers; `undefined` when all have ended. */
function stopAll(situation: Situation, now: number): Plan | undefined {
  const records = [...situation.containers.values()];
  const sidecars = records.filter(({ container }) => container.kind === "sidecar");
  const others = records.filter(({ container }) => container.kind !== "sidecar");
  const lastSidecar = sidecars.findLast(isBusy);
  const turn = others.some(isBusy) ? others : lastSidecar === undefined ? [] : [lastSidecar];
  if (turn.length === 0) return undefined;
  return { actions: turn.flatMap((record) => stopToEnd(situation, record, now)), wakeAt: Infinity };
}

/** Whether a pod continues in a new sandbox when its sandbox was lost: with restartPolicy Never, no container may have run. */
export function survivesLoss({ pod, containers }: Situation): boolean {
  return (
    pod.spec.restartPolicy !== "Never" ||
    [...containers.values()].every(({ life, last }) => last === undefined && !hasRun(life))
  );
}

function hasRun(life: ContainerRecord["life"]): boolean {
  return life.is === "running" || life.is === "exited" || (life.is === "starting" && life.id !== undefined);
}

function isBusy({ life }: ContainerRecord): boolean {
  return life.is === "running" || life.is === "starting";
}

/** A container that is being stopped is stopped again only with an earlier deadline. */
function stopToEnd({ pod, verdict }: Situation, { container, life }: ContainerRecord, now: number): readonly Action[] {
  if ((life.is !== "running" && life.is !== "starting") || life.id === undefined) return [];
  const asked = verdict?.graceSeconds ?? pod.spec.terminationGracePeriodSeconds ?? 30;
  const graceSeconds = pod.metadata.deletionGracePeriodSeconds ?? asked;
  if (life.stopping !== undefined && now + graceSeconds * 1000 >= (life.stopBy ?? 0)) return [];
  const because = pod.metadata.deletionTimestamp !== undefined ? "deleted" : verdict ? "deadline" : "finished";
  return [{ do: "stop", container: container.spec.name, graceSeconds, because }];
}

function live(situation: Situation, now: number): Plan {
  const { sandbox } = situation;
  switch (sandbox.is) {
    case "absent":
      return prepare;
    case "refused":
      return sandbox.retryAt <= now ? prepare : { actions: [], wakeAt: sandbox.retryAt };
    case "lost":
      return stopAll(situation, now) ?? (survivesLoss(situation) ? prepare : nothing);
    case "ready":
      return join([resize(situation, now), ...due(situation).map((record) => advance(situation, record, now))]);
    case "preparing":
    case "removing":
    case "removed":
      return nothing;
  }
}

function resize(situation: Situation, now: number): Plan {
  if (resizedContainers(situation).length === 0) return nothing;
  const at = situation.resize?.retryAt ?? now;
  return at <= now ? { actions: [{ do: "resize" }], wakeAt: Infinity } : { actions: [], wakeAt: at };
}

/** The containers that may run now: init containers in sequence, then all others; ephemeral containers at any time. */
function due({ containers }: Situation): readonly ContainerRecord[] {
  const records = [...containers.values()];
  const ephemeral = records.filter(({ container }) => container.kind === "ephemeral");
  const turn: ContainerRecord[] = [];
  for (const record of records) {
    const { kind } = record.container;
    if (kind !== "init" && kind !== "sidecar") continue;
    if (kind === "sidecar" || !isInitialized(record)) turn.push(record);
    if (!isInitialized(record)) return hasBegun(records) ? records.filter(isNotInit) : [...turn, ...ephemeral];
  }
  return [...turn, ...records.filter(({ container: { kind } }) => kind === "regular"), ...ephemeral];
}

function isNotInit({ container: { kind } }: ContainerRecord): boolean {
  return kind !== "init";
}

/** Once the regular containers have started in this sandbox, a crashing sidecar blocks nothing. */
function hasBegun(records: readonly ContainerRecord[]): boolean {
  return records.some((record) => {
    if (record.container.kind !== "regular" || record.atLoss !== undefined) return false;
    return record.life.is === "running" || record.life.is === "exited" || record.restarts > 0;
  });
}

function advance(situation: Situation, record: ContainerRecord, now: number): Plan {
  const { life } = record;
  switch (life.is) {
    case "waiting":
      return begin(record, now);
    case "refused":
      return life.retryAt <= now ? begin(record, now) : { actions: [], wakeAt: life.retryAt };
    case "starting":
      return nothing;
    case "running":
      return life.stopping === undefined ? watch(situation, record, now) : nothing;
    case "exited": {
      if (!restarts(record, situation.pod.spec.restartPolicy)) return nothing;
      const at = restartTime(record);
      return at <= now
        ? begin(record, now)
        : { actions: [], wakeAt: Math.min(at, shownUntil(life.exit, life.since, now)) };
    }
  }
}

/** A program that could not be started is shown as terminated for a while, and then as waiting; that change has to be reported too. */
function shownUntil({ reason }: Exit, since: number, now: number): number {
  const end = since + failureShown;
  return reason === "StartError" && end > now ? end : Infinity;
}

function begin({ image, container }: ContainerRecord, now: number): Plan {
  const { name } = container.spec;
  switch (image.is) {
    case "unknown":
      return { actions: [{ do: "pull", container: name }], wakeAt: Infinity };
    case "pulling":
      return nothing;
    case "present":
      return { actions: [{ do: "start", container: name }], wakeAt: Infinity };
    case "missing":
      return image.retryAt <= now
        ? { actions: [{ do: "pull", container: name }], wakeAt: Infinity }
        : { actions: [], wakeAt: image.failedAt + failureShown > now ? image.failedAt + failureShown : image.retryAt };
  }
}

/** Runs the probes that are due, and stops a container that failed them. Other probes wait for the startup probe. */
function watch(situation: Situation, record: ContainerRecord, now: number): Plan {
  const { livenessProbe, readinessProbe, startupProbe } = record.container.spec;
  if (!isStarted(record)) return ask(situation, record, { kind: "startup", probe: startupProbe, now });
  return join([
    ask(situation, record, { kind: "liveness", probe: livenessProbe, now }),
    ask(situation, record, { kind: "readiness", probe: readinessProbe, now }),
  ]);
}

interface Asking {
  readonly kind: ProbeKind;
  readonly probe: Probe | undefined;
  readonly now: number;
}

function ask({ pod }: Situation, record: ContainerRecord, { kind, probe, now }: Asking): Plan {
  const state = record.probes[kind];
  if (probe === undefined || state === undefined) return nothing;
  const container = record.container.spec.name;
  if (state.verdict === "failure" && kind !== "readiness") {
    const graceSeconds = probe.terminationGracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds ?? 30;
    const because = kind === "startup" ? "unstarted" : "unhealthy";
    return { actions: [{ do: "stop", container, graceSeconds, because }], wakeAt: Infinity };
  }
  if (record.asking.has(kind)) return nothing;
  if (state.nextAt > now) return { actions: [], wakeAt: state.nextAt };
  return { actions: [{ do: "probe", container, probe: kind }], wakeAt: Infinity };
}
