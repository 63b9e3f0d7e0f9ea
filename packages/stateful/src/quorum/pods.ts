/** Converts pods and claims of members to what decisions see. */
import { parseQuantity, quantityToInteger } from "@capstan/model";
import type { ObjectOf } from "@capstan/model";
import type { Node, PersistentVolumeClaim, Pod } from "@capstan/kinds/v1";
import { parseResult } from "../backup/agent/result.ts";
import type { BackupErrorCode } from "../backup/errors.ts";
import type { ObservedPod, ObservedVolume } from "./contract.ts";
import type { Stopwatch } from "./stopwatch.ts";

type PodObject = ObjectOf<typeof Pod>;
type ClaimObject = ObjectOf<typeof PersistentVolumeClaim>;
type NodeObject = ObjectOf<typeof Node>;

/** A pod that does not end within this time after its deletion, including its grace period, is on a lost node. */
const stuckAfter = 150_000;

/**
 * What a pod is observed with.
 *
 * @example
 * const nodeOf = ({ node }: MemberPodContext) => node?.metadata.name;
 */
export interface MemberPodContext {
  /** The name of the application's container. */
  readonly container: string;
  readonly node: NodeObject | undefined;
  readonly now: number;
  readonly stopwatch: Stopwatch;
}

/**
 * What the kubelet and the agents report of a pod.
 *
 * @example
 * const isDown = ({ isContainerDown }: MemberPodState) => isContainerDown;
 */
export type MemberPodState = Omit<
  ObservedPod,
  "member" | "boot" | "hasBootstrapFlags" | "initialCheck" | "snapshotCount" | "templateHash" | "version"
>;

/**
 * Observes the state of a member's pod. How it was started is up to the application.
 *
 * @example
 * const stateOf = (pod: Parameters<typeof observeMemberPod>[0], context: MemberPodContext) => observeMemberPod(pod, context).state;
 */
export function observeMemberPod(
  pod: PodObject,
  { container: name, node, now, stopwatch }: MemberPodContext,
): MemberPodState {
  const isReady = conditionOf(pod, "Ready")?.status === "True";
  const container = containerOf(pod, name);
  const failure = startFailureOf(pod, name);
  const nodeName = pod.spec?.nodeName;
  return {
    uid: pod.metadata.uid,
    state: stateOf(pod),
    isReady,
    since: isReady ? now : stopwatch.since(unreadyReason(pod)),
    isContainerDown: container?.state?.running === undefined,
    restarts: container?.restartCount ?? 0,
    ...(failure === undefined ? {} : { startFailure: failure }),
    ...seedOf(pod),
    ...(nodeName === undefined ? {} : { node: nodeName }),
    isNodeLost: nodeName !== undefined && (isNodeUnreachable(node) || isStuck(pod, stopwatch, now)),
  };
}

/** Identifies one absence: another start time by the kubelet is another absence, whatever its clock. */
function unreadyReason(pod: PodObject): string {
  const { name, uid, creationTimestamp } = pod.metadata;
  return `${name} (${uid}) not ready: ${conditionOf(pod, "Ready")?.lastTransitionTime ?? creationTimestamp}`;
}

function stateOf(pod: PodObject): ObservedPod["state"] {
  if (pod.metadata.deletionTimestamp !== undefined) return "stopping";
  const phase = pod.status?.phase;
  if (phase === "Failed" || phase === "Succeeded") return "ended";
  return phase === "Running" ? "running" : "pending";
}

function containerOf({ status }: PodObject, container: string) {
  return status?.containerStatuses?.find(({ name }) => name === container);
}

function conditionOf({ status }: PodObject, type: string) {
  return status?.conditions?.find((condition) => condition.type === type);
}

/** The first reason in the status of a pod that does not run. */
function startFailureOf(pod: PodObject, container: string): string | undefined {
  const scheduled = conditionOf(pod, "PodScheduled");
  return waitingReason(pod, container) ?? (scheduled?.status === "False" ? scheduled.message : undefined);
}

/** Waiting reasons that are normal while a pod starts. */
const normalWaitingReasons: ReadonlySet<string | undefined> = new Set([
  undefined,
  "ContainerCreating",
  "PodInitializing",
]);

function waitingReason(pod: PodObject, name: string): string | undefined {
  const container = containerOf(pod, name);
  const starting = pod.status?.initContainerStatuses?.find(({ state }) => state?.waiting !== undefined);
  // While an init container is stuck, the container of the application only waits for it.
  const stuck = starting ?? container;
  const { reason, message } = stuck?.state?.waiting ?? {};
  if (normalWaitingReasons.has(reason)) return undefined;
  return [reason, message, terminationMessage(stuck?.lastState?.terminated)].filter(Boolean).join(": ");
}

/** Error codes of agents that a retry cannot fix. An unreachable store says nothing about its backups. */
const badBackupCodes: ReadonlySet<string> = new Set<BackupErrorCode>([
  "Corrupt",
  "Truncated",
  "WrongKey",
  "NotFound",
  "Different",
  "Unsupported",
  "Unencrypted",
  "Misplaced",
  "OtherCluster",
  "Missing",
  "Changed",
]);

/** The backup that a first member restored, or the error of the one that it should restore. */
function seedOf({ status }: PodObject): Pick<ObservedPod, "backupFailure" | "restoredBackup"> {
  const ends = (status?.initContainerStatuses ?? []).flatMap(({ state, lastState }) => [
    state?.terminated,
    lastState?.terminated,
  ]);
  const results = ends.map((end) => parseResult<{ readonly name: string }>(end?.message));
  const failed = results.find((result) => result?.ok === false && badBackupCodes.has(result.code));
  const fetched = results.flatMap((result) => (result?.ok === true ? (result.manifest?.name ?? []) : []));
  const [restoredBackup] = fetched;
  return {
    ...(failed?.ok === false ? { backupFailure: failed.message } : {}),
    ...(restoredBackup === undefined ? {} : { restoredBackup }),
  };
}

/** Termination message of a container. Agents write it as a result. */
function terminationMessage(
  end: { readonly exitCode: number; readonly message?: string } | undefined,
): string | undefined {
  if (end === undefined) return undefined;
  const result = parseResult(end.message);
  if (result !== undefined && !result.ok) return `${result.code}: ${result.message}`;
  return `it ended with ${end.exitCode}`;
}

function isNodeUnreachable(node: NodeObject | undefined): boolean {
  const ready = node?.status?.conditions?.find(({ type }) => type === "Ready");
  return ready?.status === "Unknown";
}

function isStuck({ metadata }: PodObject, stopwatch: Stopwatch, now: number): boolean {
  const { name, uid, deletionTimestamp } = metadata;
  // This only makes the operator wait, so a recorded time counts at once, also after a restart of the operator.
  return deletionTimestamp !== undefined && now - stopwatch.noted(`${name} (${uid}) stopping`) > stuckAfter;
}

/**
 * Observes the volume of a member, whose claim has the name of the member in a label.
 *
 * @example
 * const isBound = (claim: Parameters<typeof observeMemberVolume>[0]) => observeMemberVolume(claim, "example.com/member").state === "bound";
 */
export function observeMemberVolume({ metadata, spec, status }: ClaimObject, label: string): ObservedVolume {
  const isLeaving = metadata.deletionTimestamp !== undefined;
  return {
    member: metadata.labels?.[label] ?? "",
    state: isLeaving ? "stopping" : status?.phase === "Lost" ? "lost" : status?.phase === "Bound" ? "bound" : "pending",
    requested: toBytes(spec?.resources?.requests?.["storage"] ?? 0),
    capacity: toBytes(status?.capacity?.["storage"] ?? 0),
  };
}

function toBytes(quantity: string | number): number {
  return Number(quantityToInteger(parseQuantity(String(quantity))));
}
