/** Converts pods and claims of the API to the types of the contract. */
import type { ObjectOf } from "capstan";
import type { Node, PersistentVolumeClaim, Pod } from "capstan/kinds/v1";
import { parseResult } from "capstan/stateful/parts";
import type { Stopwatch } from "capstan/stateful/quorum";
import type { Manifest } from "../backup/manifest.ts";
import type { BackupErrorCode } from "capstan/stateful";
import type { Boot, ObservedPod, ObservedVolume } from "../contract.ts";
import {
  bootstrapAnnotationKeys,
  BOOT_ANNOTATION,
  initialCheckAnnotation,
  MEMBER_LABEL,
  templateHashAnnotation,
  referencedFlags,
  TLS_VOLUMES,
  toBytes,
  VERSION_LABEL,
} from "../pods/index.ts";
import type { PodTemplateInput } from "../pods/index.ts";

export type PodObject = ObjectOf<typeof Pod>;
export type ClaimObject = ObjectOf<typeof PersistentVolumeClaim>;
export type NodeObject = ObjectOf<typeof Node>;

const bootModes: readonly Boot[] = ["seed", "seed-backup", "join", "live", "survive"];
/** A pod that does not end within this time after its deletion, including its grace period, is on a lost node. */
const stuckAfter = 150_000;

export interface PodContext {
  readonly node: NodeObject | undefined;
  readonly now: number;
  readonly stopwatch: Stopwatch;
  /** The Secrets with certificates that members should mount. */
  readonly mounts?: PodTemplateInput["mounts"];
}

export function observePod(pod: PodObject, { node, now, stopwatch, mounts }: PodContext): ObservedPod {
  const isReady = conditionOf(pod, "Ready")?.status === "True";
  const container = containerOf(pod);
  const failure = startFailureOf(pod);
  const nodeName = pod.spec?.nodeName;
  return {
    ...annotationsOf(pod),
    ...(hasOthers(pod, mounts) ? { templateHash: otherSecretsHash } : {}),
    ...snapshotsOf(pod),
    initialCheck: initialCheckOf(pod),
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

/** The flag of the running pod, whatever the spec says now. */
function snapshotsOf({ spec }: PodObject): Pick<ObservedPod, "snapshotCount"> {
  const { args = [] } = spec?.containers.find(({ name }) => name === "etcd") ?? {};
  const flag = args.find((one) => one.startsWith(SNAPSHOT_FLAG))?.slice(SNAPSHOT_FLAG.length);
  return flag === undefined || !/^\d+$/u.test(flag) ? {} : { snapshotCount: Number(flag) };
}

const SNAPSHOT_FLAG = "--snapshot-count=";

/** Not a hash: a pod that mounts other Secrets is recreated, whatever its template hash. */
const otherSecretsHash = "other Secrets";

/** The Secrets with certificates that a pod mounts. */
export function mountsOf({ spec }: PodObject): { readonly [Part in "server" | "peer"]: string | undefined } {
  const secretOf = (volume: string): string | undefined =>
    spec?.volumes?.find(({ name }) => name === volume)?.secret?.secretName;
  return { server: secretOf(TLS_VOLUMES.server), peer: secretOf(TLS_VOLUMES.peer) };
}

function hasOthers(pod: PodObject, desired: PodTemplateInput["mounts"]): boolean {
  const { server, peer } = mountsOf(pod);
  return desired !== undefined && (server !== desired.server || peer !== desired.peer);
}

/** The annotations from the creation of the pod. */
function annotationsOf({
  metadata,
}: PodObject): Pick<ObservedPod, "member" | "boot" | "hasBootstrapFlags" | "templateHash" | "version"> {
  const { labels = {}, annotations = {} } = metadata;
  const boot = bootModes.find((one) => one === annotations[BOOT_ANNOTATION]) ?? "live";
  // Pods of earlier operators have it in their flags, which cannot be changed.
  const isTold = annotations[bootstrapAnnotationKeys["initial-cluster"]] !== undefined;
  return {
    member: labels[MEMBER_LABEL] ?? "",
    boot,
    hasBootstrapFlags: isTold && (boot === "seed" || boot === "join"),
    templateHash: annotations[templateHashAnnotation] ?? "",
    version: labels[VERSION_LABEL] ?? "",
  };
}

/** Pods of earlier operators have it in their flags, which cannot be changed. */
function initialCheckOf({ metadata, spec }: PodObject): ObservedPod["initialCheck"] {
  const { args = [] } = spec?.containers.find(({ name }) => name === "etcd") ?? {};
  if (!args.some((flag) => flag.includes(referencedFlags.initialCheck))) return "fixed";
  return metadata.annotations?.[initialCheckAnnotation] === "false" ? "off" : "on";
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

function containerOf({ status }: PodObject) {
  return status?.containerStatuses?.find(({ name }) => name === "etcd");
}

function conditionOf({ status }: PodObject, type: string) {
  return status?.conditions?.find((condition) => condition.type === type);
}

/** The first reason in the status of a pod that does not run. */
function startFailureOf(pod: PodObject): string | undefined {
  const scheduled = conditionOf(pod, "PodScheduled");
  return waitingReason(pod) ?? (scheduled?.status === "False" ? scheduled.message : undefined);
}

/** Waiting reasons that are normal while a pod starts. */
const normalWaitingReasons: ReadonlySet<string | undefined> = new Set([
  undefined,
  "ContainerCreating",
  "PodInitializing",
]);

function waitingReason(pod: PodObject): string | undefined {
  const container = containerOf(pod);
  const starting = pod.status?.initContainerStatuses?.find(({ state }) => state?.waiting !== undefined);
  // While an init container is stuck, the etcd container only waits for it.
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
  const results = ends.map((end) => parseResult<Manifest>(end?.message));
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

export function observeVolume({ metadata, spec, status }: ClaimObject): ObservedVolume {
  const isLeaving = metadata.deletionTimestamp !== undefined;
  return {
    member: metadata.labels?.[MEMBER_LABEL] ?? "",
    state: isLeaving ? "stopping" : status?.phase === "Lost" ? "lost" : status?.phase === "Bound" ? "bound" : "pending",
    requested: toBytes(spec?.resources?.requests?.["storage"] ?? 0),
    capacity: toBytes(status?.capacity?.["storage"] ?? 0),
  };
}
