/** The next step for an EtcdRestore: a pure function of the observation. */
import type { ObjectOf } from "capstan";
import type { EtcdCluster, EtcdRestore } from "../kinds/index.ts";
import { BackupError } from "capstan/stateful";
import { checkVersion } from "./manifest.ts";
import type { Manifest } from "./manifest.ts";
import type { BackupJob } from "./pods.ts";

type RestoreObject = ObjectOf<typeof EtcdRestore>;
type ClusterSpec = ObjectOf<typeof EtcdCluster>["spec"];

/** The fields of the target cluster that matter here. */
export interface SeenTarget {
  readonly uid: string;
  /** Whether this restore created it. */
  readonly isOurs: boolean;
  readonly version: string;
  readonly isAvailable: boolean;
  /** The message of its `Degraded` condition. */
  readonly trouble?: string | undefined;
  /** The last completed restore in place. */
  readonly restored?: string | undefined;
  /** The last cancelled restore, with the reason. */
  readonly calledOff?: { readonly restore: string | undefined; readonly why: string } | undefined;
}

export interface RestoreSeen {
  readonly uid: string;
  readonly spec: RestoreObject["spec"];
  readonly status: Partial<NonNullable<RestoreObject["status"]>>;
  readonly jobs: readonly BackupJob[];
  readonly target: SeenTarget | undefined;
  /** Another unfinished restore of the same cluster that is older. */
  readonly rival?: string | undefined;
}

/** A backup that was found and read completely. */
export interface Described {
  readonly manifest: Manifest;
  /** sha256 of its manifest. */
  readonly digest?: string | undefined;
}

export type RestoreStep =
  /** Reads the manifest of the backup. */
  | { readonly do: "describe" }
  | (Described & { readonly do: "create"; readonly pod: string })
  /** The controller of the cluster does it when it sees that this restore runs. */
  | (Described & { readonly do: "overwrite"; readonly pod: string })
  | { readonly do: "succeed" }
  | { readonly do: "fail"; readonly reason: string; readonly why: string; readonly pod?: string }
  | { readonly do: "clear"; readonly pod: string }
  | { readonly do: "wait"; readonly why: string; readonly reason?: "Queued" }
  | { readonly do: "rest" };

export function nextRestoreStep(seen: RestoreSeen): RestoreStep {
  const { status, jobs, rival } = seen;
  const leftover = jobs.find(({ isLeaving }) => !isLeaving);
  if (status.phase === "Succeeded" || status.phase === "Failed") {
    return leftover ? { do: "clear", pod: leftover.pod } : { do: "rest" };
  }
  if (status.phase === "Running") return leftover ? { do: "clear", pod: leftover.pod } : goOn(seen);
  if (rival !== undefined) {
    return { do: "wait", reason: "Queued", why: `the restore ${rival} of the same cluster comes first` };
  }
  const refusal = refuse(seen);
  if (refusal) return refusal;
  if (leftover === undefined) return { do: "describe" };
  if (leftover.state.is === "ended") return useDescription(leftover, seen);
  return { do: "wait", why: leftover.state.failure ?? "the backup is being looked up" };
}

/** The spec of the cluster to create: the spec of the backup, bootstrapped from its data. */
export function specFrom(manifest: Manifest, source: RestoreObject["spec"], digest?: string): ClusterSpec | undefined {
  const { spec } = manifest;
  if (typeof spec !== "object" || spec === null) return undefined;
  const { bootstrap: _bootstrap, paused: _paused, ...kept } = spec as ClusterSpec;
  const { store, encryption, allowUnencrypted, imagePullSecrets } = source;
  const bootstrap = {
    store,
    backup: manifest.name,
    ...(digest === undefined ? {} : { digest }),
    ...(encryption ? { encryption } : {}),
    ...(allowUnencrypted === undefined ? {} : { allowUnencrypted }),
  };
  const pull = imagePullSecrets.length > 0 ? { imagePullSecrets } : {};
  return { ...kept, ...pull, size: Math.max(1, kept.size), bootstrap } as ClusterSpec;
}

function refuse({ spec, target }: RestoreSeen): RestoreStep | undefined {
  if (target === undefined || target.isOurs || spec.overwrite !== undefined) return undefined;
  const why = `there is an EtcdCluster ${spec.cluster} already: to replace all its data, say overwrite: ${spec.cluster}`;
  return { do: "fail", reason: "ClusterExists", why };
}

function useDescription(job: BackupJob, { spec, target }: RestoreSeen): RestoreStep {
  const result = job.state.is === "ended" ? job.state.result : undefined;
  if (!result?.ok || result.manifest === undefined) {
    const { code, message } = result && !result.ok ? result : { code: "Lost", message: "the agent gave no answer" };
    return { do: "fail", reason: code, why: message, pod: job.pod };
  }
  const { manifest, digest } = result;
  const { pod } = job;
  if (target === undefined || target.isOurs) {
    if (specFrom(manifest, spec)) return { do: "create", manifest, digest, pod };
    const why = `the backup ${manifest.name} does not tell the spec of its cluster: make the EtcdCluster yourself, with spec.bootstrap`;
    return { do: "fail", reason: "NoSpec", why, pod };
  }
  const newer = newerThan(manifest, target.version);
  return newer
    ? { do: "fail", reason: newer.code, why: newer.message, pod }
    : { do: "overwrite", manifest, digest, pod };
}

/** A cluster that was created later under the same name is not the target. */
function isGone({ spec, status, target }: RestoreSeen): boolean {
  if (target === undefined) return true;
  return spec.overwrite === undefined ? !target.isOurs : (status.clusterUid ?? target.uid) !== target.uid;
}

function goOn(seen: RestoreSeen): RestoreStep {
  const { uid, target } = seen;
  if (target === undefined || isGone(seen))
    return { do: "fail", reason: "ClusterGone", why: "the cluster was deleted before it was restored" };
  if (target.calledOff?.restore === uid) {
    return { do: "fail", reason: "Cancelled", why: `${target.calledOff.why}; the cluster goes on with its old data` };
  }
  // A cluster that this restore created has no first member before its volume has the data of the backup.
  const isThere = target.isOurs || target.restored === uid;
  if (isThere && target.isAvailable) return { do: "succeed" };
  return { do: "wait", why: target.trouble ?? "the cluster is being restored" };
}

function newerThan(manifest: Manifest, version: string): BackupError | undefined {
  try {
    checkVersion(manifest, version);
    return undefined;
  } catch (error) {
    if (error instanceof BackupError) return error;
    throw error;
  }
}
