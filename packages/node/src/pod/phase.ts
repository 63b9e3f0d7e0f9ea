/** The phase of a pod, by the rules of the kubelet. Pure. */
import type { PodStatus } from "@capstan/kinds/v1";
import { restarts, type ContainerRecord, type Situation } from "./situation.ts";

/** The phase of a pod. */
export type Phase = NonNullable<PodStatus["phase"]>;

/** Whether a container runs and its startup probe, if it has one, has passed. */
export function isStarted({ life, container, probes }: ContainerRecord): boolean {
  if (life.is !== "running" || life.failure !== undefined) return false;
  return container.spec.startupProbe === undefined || probes.startup?.verdict === "success";
}

/** Whether an init container lets the pod continue: it has succeeded, or it is a sidecar that has started. */
export function isInitialized(record: ContainerRecord): boolean {
  if (record.container.kind === "sidecar") return isStarted(record);
  return record.life.is === "exited" && record.life.exit.exitCode === 0;
}

/** Whether a container counts as ready. */
export function isReady(record: ContainerRecord): boolean {
  const { container, probes } = record;
  if (container.kind === "init") return isInitialized(record);
  if (!isStarted(record)) return false;
  return container.spec.readinessProbe === undefined || probes.readiness?.verdict === "success";
}

/** The phase of the whole pod. */
export function phaseOf(situation: Situation): Phase {
  const all = [...situation.containers.values()];
  const init = all.filter(({ container: { kind } }) => kind === "init");
  const regular = all.filter(({ container: { kind } }) => kind === "regular");
  if (situation.verdict !== undefined) return "Failed";
  if (isOver(situation, all)) return regular.every(hasSucceeded) && init.every(hasSucceeded) ? "Succeeded" : "Failed";
  const policy = situation.pod.spec.restartPolicy;
  const isDone = (record: ContainerRecord): boolean => record.life.is === "exited" && !restarts(record, policy);
  if (init.some((record) => isDone(record) && !hasSucceeded(record))) return "Failed";
  if (init.some((record) => !hasSucceeded(record))) return "Pending";
  if (regular.some(hasNeverRun) || sidecarsAreDue(all, regular)) return "Pending";
  if (!regular.every(isDone)) return "Running";
  return regular.every(hasSucceeded) ? "Succeeded" : "Failed";
}

/** A deleted pod is over when all its containers have ended, whatever its restart policy. */
function isOver({ pod, sandbox }: Situation, all: readonly ContainerRecord[]): boolean {
  if (pod.metadata.deletionTimestamp === undefined || sandbox.is !== "removed") return false;
  return all.every(({ life }) => life.is !== "running" && life.is !== "starting");
}

function sidecarsAreDue(all: readonly ContainerRecord[], regular: readonly ContainerRecord[]): boolean {
  if (regular.some(({ life }) => life.is !== "waiting")) return false;
  return all.some((record) => record.container.kind === "sidecar" && !isInitialized(record));
}

function hasNeverRun({ life, last }: ContainerRecord): boolean {
  return last === undefined && life.is !== "running" && life.is !== "exited";
}

function hasSucceeded({ life }: ContainerRecord): boolean {
  return life.is === "exited" && life.exit.exitCode === 0;
}

/** Whether a pod is starting without errors so far: a status written now would soon be outdated. */
export function isComingUp({ pod, verdict, sandbox, containers }: Situation): boolean {
  if (verdict !== undefined || pod.metadata.deletionTimestamp !== undefined || sandbox.is === "refused") return false;
  const records = [...containers.values()];
  const isBusy = records.some(({ image, life }) => image.is === "pulling" || life.is === "starting");
  return (sandbox.is === "preparing" || isBusy) && records.every(isAtFirst);
}

function isAtFirst({ image, life, restarts: again }: ContainerRecord): boolean {
  const isTried = image.is === "missing" || (image.is === "pulling" && image.before !== undefined);
  const isNew = life.is === "waiting" || (life.is === "starting" && life.id === undefined && life.before === undefined);
  return isNew && !isTried && again === 0;
}
