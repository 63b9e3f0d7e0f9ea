/** What a Deployment and its pods say about a roll-out: done, under way, or failed. Pure. */
import type { ContainerStatus, Pod } from "@capstan/kinds/v1";
import type { Deployment, ReplicaSet } from "@capstan/kinds/apps/v1";

/** What was seen of a roll-out. */
export interface Seen {
  readonly deployment: Deployment;
  readonly replicaSets: readonly ReplicaSet[];
  readonly pods: readonly Pod[];
}

/** The state of a roll-out. */
export type Rollout =
  | { readonly is: "available"; readonly text: string }
  | { readonly is: "waiting"; readonly text: string }
  | { readonly is: "failed"; readonly text: string };

/** Reasons why a container waits that do not pass without a change. */
const lasting = new Set([
  "ImagePullBackOff",
  "ErrImageNeverPull",
  "InvalidImageName",
  "CreateContainerConfigError",
  "CreateContainerError",
  "CrashLoopBackOff",
]);

/** The state of the newest pods. Pods of an earlier template do not count. */
export function rolloutOf(seen: Seen): Rollout {
  const { spec, status = {}, metadata } = seen.deployment;
  const wanted = spec?.replicas ?? 1;
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0))
    return { is: "waiting", text: "the Deployment controller has not seen the change yet" };
  const { updatedReplicas = 0, availableReplicas = 0, replicas = 0 } = status;
  if (updatedReplicas >= wanted && availableReplicas >= wanted && replicas === updatedReplicas)
    return { is: "available", text: `${wanted} of ${wanted} replicas are available` };
  const count = `${Math.min(updatedReplicas, availableReplicas)} of ${wanted} replicas are available`;
  const failures = failuresOf(seen);
  if (failures.length > 0) return { is: "failed", text: [count, ...failures].join("; ") };
  return { is: "waiting", text: [count, ...newestPods(seen).flatMap(waitOf)].join("; ") };
}

function failuresOf(seen: Seen): readonly string[] {
  const failed = newestPods(seen).flatMap((pod) => containersOf(pod).flatMap((container) => failureOf(pod, container)));
  const stopped = conditionOf(seen);
  return stopped === undefined ? failed : [...failed, stopped];
}

/** The pods of the ReplicaSet with the highest revision. */
export function newestPods({ replicaSets, pods }: Pick<Seen, "replicaSets" | "pods">): readonly Pod[] {
  const revisionOf = ({ metadata }: ReplicaSet): number =>
    Number(metadata.annotations?.["deployment.kubernetes.io/revision"] ?? 0);
  const newest = replicaSets.toSorted((a, b) => revisionOf(b) - revisionOf(a))[0];
  const hash = newest?.metadata.labels?.["pod-template-hash"];
  return pods.filter(({ metadata }) => hash !== undefined && metadata.labels?.["pod-template-hash"] === hash);
}

function containersOf({ status = {} }: Pod): readonly ContainerStatus[] {
  return [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
}

function failureOf({ metadata }: Pod, { name, state, lastState, restartCount }: ContainerStatus): readonly string[] {
  const { reason = "", message = "" } = state?.waiting ?? {};
  // One crash may be a coincidence: the next start may succeed.
  if (!lasting.has(reason) || (reason === "CrashLoopBackOff" && restartCount < 2)) return [];
  const exit = lastState?.terminated?.exitCode;
  const ended = exit === undefined ? "" : ` (exit code ${exit}, ${restartCount} restarts)`;
  return [`${metadata.name}/${name}: ${reason}${ended}${message === "" ? "" : `: ${message}`}`];
}

/** The Deployment gives up, or cannot create pods, for example because of a quota or of pod security. */
function conditionOf({ deployment }: Seen): string | undefined {
  const found = deployment.status?.conditions?.find(
    ({ type, status, reason }) =>
      (type === "ReplicaFailure" && status === "True") ||
      (type === "Progressing" && reason === "ProgressDeadlineExceeded"),
  );
  return found === undefined ? undefined : `${found.reason}: ${found.message}`;
}

function waitOf(pod: Pod): readonly string[] {
  const { metadata, status = {} } = pod;
  const unscheduled = status.conditions?.find(({ type, status: is }) => type === "PodScheduled" && is === "False");
  if (unscheduled !== undefined) return [`${metadata.name}: ${unscheduled.message ?? "it has no node"}`];
  const waits = containersOf(pod).flatMap(({ state }) => state?.waiting?.reason ?? []);
  if (waits.length > 0) return [`${metadata.name}: ${waits.join(", ")}`];
  const isReady = containersOf(pod).length > 0 && containersOf(pod).every(({ ready }) => ready);
  return isReady ? [] : [`${metadata.name}: ${status.phase === "Running" ? "it runs, and is not ready" : "it starts"}`];
}
