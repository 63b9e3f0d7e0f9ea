/** The controller of EtcdBackup: observes, decides, and takes one step. */
import { requeue, controller } from "capstan";
import type { ReconcileResult, Context, Controller, ObjectOf } from "capstan";
import { Pod } from "capstan/kinds/v1";
import type { AgentImage } from "capstan/stateful";
import { resolveAgentImage } from "capstan/stateful/parts";
import { EtcdBackup, EtcdCluster } from "../kinds/index.ts";
import { UID_LABEL } from "../pods/index.ts";
import { formatTimestamp } from "../timestamp.ts";
import type { JobResult } from "./agent/job.ts";
import { dueTime, nextStep, ON_TRIAL } from "./backup-steps.ts";
import type { BackupRecord, BackupSeen, BackupStep } from "./backup-steps.ts";
import type { Manifest } from "./manifest.ts";
import { measureJob } from "./metrics.ts";
import { backupPod, isDisputed, policyOf, retentionFor, seeBackupJob, verifyPod } from "./pods.ts";
import type { BackupJob } from "./pods.ts";

/** Dependencies of the backup controllers. */
export interface BackupMeans {
  readonly agentImage: AgentImage;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

type BackupObject = ObjectOf<typeof EtcdBackup>;
type ClusterObject = ObjectOf<typeof EtcdCluster>;
type BackupContext = Context<typeof EtcdBackup, typeof Pod, typeof EtcdCluster>;

export function backupController(environment: BackupMeans): Controller {
  return controller(EtcdBackup, { owns: [Pod], reads: [EtcdCluster], prune: false }, (context) =>
    turn(context, environment),
  );
}

async function turn(context: BackupContext, environment: BackupMeans): Promise<ReconcileResult> {
  const { object } = context;
  const cluster = context.get(EtcdCluster, object.spec.cluster);
  const jobs = context.find(Pod, { owner: context.object }).map((pod) => seeBackupJob(pod));
  const seen: BackupSeen = {
    now: environment.now(),
    spec: object.spec,
    status: object.status ?? {},
    created: Date.parse(object.metadata.creationTimestamp ?? ""),
    jobs,
    cluster: cluster === undefined ? "none" : isAsleep(cluster) ? "asleep" : "there",
  };
  return act(nextStep(seen), { context, means: environment, object, cluster, seen });
}

/**
 * Whether the cluster has no member that can be asked. A hibernated cluster still lists its members; one that is about to hibernate still
 * serves.
 */
function isAsleep({ spec, status }: ClusterObject): boolean {
  const { members = [], ready = 0 } = status ?? {};
  return members.length === 0 || (spec.size === 0 && ready === 0);
}

interface Scene {
  readonly context: BackupContext;
  readonly means: BackupMeans;
  readonly object: BackupObject;
  readonly cluster: ClusterObject | undefined;
  readonly seen: BackupSeen;
}

async function act(step: BackupStep, scene: Scene): Promise<ReconcileResult> {
  const { context, seen } = scene;
  const { status } = context;
  switch (step.do) {
    case "make":
    case "verify":
      await startJob(step, scene);
      return requeue("10s", { reason: "a job is running" });
    case "record":
      record(step.job, step.result, scene);
      return requeue("1s", { reason: "the result was written down" });
    case "clear":
      await context.remove(Pod, step.pod);
      return requeue("1s", { reason: "the job is done" });
    case "refuse":
      if (seen.status.message !== step.why) context.event("Warning", step.reason, step.why);
      status.phase = "Pending";
      status.message = step.why;
      status.condition("Ready", false, { reason: step.reason, message: step.why });
      return requeue("1m", { reason: step.why });
    case "wait":
      if (step.isRunning || (seen.status.failures ?? 0) === 0) status.message = step.why;
      if (!step.isRunning) noteNext(scene);
      return requeue(step.ms, { reason: step.why });
    case "rest":
      return undefined;
  }
}

async function startJob(step: Extract<BackupStep, { do: "make" | "verify" }>, scene: Scene): Promise<void> {
  const { context, means, object, cluster, seen } = scene;
  if (cluster === undefined) return;
  const { name } = object.metadata;
  const common = {
    agentImage: resolveAgentImage(context.get, means.agentImage),
    labels: { "app.kubernetes.io/managed-by": "etcd-operator", [UID_LABEL]: cluster.metadata.uid },
    pullSecrets: cluster.spec.imagePullSecrets,
  };
  const pod =
    step.do === "make"
      ? backupPod({ ...common, spec: object.spec, cluster, policy: policyOf(object) })
      : verifyPod({ ...common, trial: trialOf(step.record, object, cluster) });
  await context.create(Pod, { prefix: `${name.slice(0, 40)}-${step.do === "make" ? "backup" : "verify"}-` }, pod);
  const { status } = context;
  status.phase = "Running";
  status.message =
    step.do === "make" ? "the backup is being made" : "the backup is being restored into a scratch member";
  if (step.do === "make" || (seen.status.failures ?? 0) > 0) status.lastAttempt = formatTimestamp(seen.now);
}

function trialOf(record: BackupRecord, { spec }: BackupObject, cluster: ClusterObject) {
  const { store, encryption, allowUnencrypted, timeout } = spec;
  return {
    source: { store, encryption, allowUnencrypted, backup: record.name, digest: record.digest },
    image: cluster.spec.image.replaceAll("{version}", record.version),
    version: record.version,
    revision: record.revision,
    kvHash: record.kvHash,
    timeout,
    retention: retentionFor(spec, cluster),
  };
}

function record(job: BackupJob, result: JobResult, scene: Scene): void {
  const { context, seen, object } = scene;
  const { status, event } = context;
  const { name, namespace = "" } = object.metadata;
  measureJob(context.metric, {
    job,
    result,
    labels: { namespace, cluster: object.spec.cluster, backup: name },
    now: seen.now,
  });
  status.recorded = job.pod;
  if (!result.ok) {
    status.failures = (seen.status.failures ?? 0) + 1;
    // The backoff begins at the end of this attempt.
    status.lastAttempt = formatTimestamp(seen.now);
    status.phase = seen.spec.schedule === undefined ? "Failed" : "Scheduled";
    status.message = `${result.code}: ${result.message}`;
    status.condition("Ready", false, { reason: reasonOf(result.code), message: result.message });
    event(
      "Warning",
      job.purpose === "verify" ? "VerificationFailed" : "BackupFailed",
      `${result.code}: ${result.message}`,
    );
    return;
  }
  for (const why of result.refused ?? []) event("Warning", "BackupRefused", why);
  const newest =
    job.purpose === "verify" ? tried(seen) : result.manifest && toRecord(result.manifest, result.digest, job);
  if (newest === undefined) return;
  const others = (seen.status.backups ?? []).filter(({ name }) => name !== newest.name);
  status.last = newest;
  status.backups = [newest, ...others].slice(0, result.kept ?? 500);
  succeed(newest, scene);
}

/** A backup that still needs its trial restore does not count yet. */
function succeed(newest: BackupRecord, scene: Scene): void {
  const { status, event } = scene.context;
  const { spec } = scene.seen;
  // Backups that fail their trial restore one after the other are also made with growing delays.
  if (spec.verify === "restore" && newest.verified !== "restore") {
    const message = `${newest.name} is yet to be tried`;
    if ((scene.seen.status.failures ?? 0) > 0) status.condition("Ready", false, { reason: ON_TRIAL, message });
    return;
  }
  status.failures = 0;
  status.phase = spec.schedule === undefined ? "Succeeded" : "Scheduled";
  const isKept = scene.cluster !== undefined && isDisputed(scene.cluster);
  const kept = isKept ? "; older ones are kept while the members' data differs or cannot be compared" : "";
  status.message = `revision ${newest.revision} is in ${newest.name}${kept}`;
  status.condition("Ready", true, { reason: "BackupSucceeded", message: `${newest.name}, ${newest.bytes} bytes` });
  event("Normal", "BackupSucceeded", `revision ${newest.revision} is in ${newest.name}, ${newest.bytes} bytes`);
}

function tried({ status }: BackupSeen): BackupRecord | undefined {
  return status.last && { ...status.last, verified: "restore" };
}

function toRecord(
  manifest: Manifest,
  digest: string | undefined,
  { clusterUid }: Pick<BackupJob, "clusterUid">,
): BackupRecord {
  const { name, cluster, forks, time, stored, version, revision, snapshot, kvHash } = manifest;
  return {
    name,
    time: formatTimestamp(Date.parse(time)),
    bytes: stored.bytes,
    version,
    revision,
    clusterId: cluster.clusterId,
    ...(clusterUid === undefined ? {} : { clusterUid }),
    ...(forks === undefined ? {} : { forks }),
    hash: snapshot.sha256,
    ...(digest === undefined ? {} : { digest }),
    // The content was read back and compared before the manifest was written.
    verified: "checksum",
    ...(kvHash ? { kvHash } : {}),
  };
}

function noteNext({ context, seen }: Scene): void {
  const due = dueTime(seen);
  if (seen.spec.schedule === undefined || due === undefined || !Number.isFinite(due)) return;
  context.status.phase = "Scheduled";
  context.status.nextTime = formatTimestamp(due);
}

/** The reason of a condition is a CamelCase word. */
function reasonOf(code: string): string {
  return /^[A-Za-z]+$/.test(code) ? code : "Failed";
}
