/** The controller of backups: observes, decides, and takes one step. */
import { controller, requeue } from "@capstan/runtime";
import type { Context, Controller, ReconcileResult } from "@capstan/runtime";
import { Pod, Secret } from "@capstan/kinds/v1";
import { toMilliseconds } from "@capstan/runtime";
import { resolveAgentImage } from "../agent-image.ts";
import { measureBackups } from "../monitoring/metrics.ts";
import type { Application } from "../application.ts";
import { formatTime } from "../act/context.ts";
import type { ClusterKind, ClusterObject } from "../cluster/resource.ts";
import { MemberClients } from "../observe/clients.ts";
import { passwordsOf, templateOf } from "../observe/observe.ts";
import type { Setting } from "../observe/observe.ts";
import { securedMembers, tlsInput } from "../observe/tls.ts";
import { connectionTrust, trustSecretName } from "../tls/plan.ts";
import type { Draft, Job, JobResult } from "./agent/job.ts";
import { archiveLog } from "./archive-log.ts";
import { backupTime, nextStep } from "./backup-steps.ts";
import type { BackupSeen, BackupStep } from "./backup-steps.ts";
import type { Manifest } from "./manifest.ts";
import { storeWork } from "./parts.ts";
import { handOverPod, seeBackupJob } from "./pods.ts";
import type { BackupJob, JobPodOptions, Purpose, ServerScript } from "./pods.ts";
import type { BackupKind, BackupObject, BackupRecord } from "./resource.ts";

type BackupContext = Context<BackupKind, typeof Pod, ClusterKind | typeof Secret>;

/** What the controller works with. */
interface Tools<C extends AsyncDisposable, P> {
  readonly setting: Setting<C, P>;
  readonly clusterKind: ClusterKind;
  readonly backups: NonNullable<Application<C, P>["backups"]>;
}

export function backupController<C extends AsyncDisposable, P>(kind: BackupKind, tools: Tools<C, P>): Controller {
  const kinds = { owns: [Pod], reads: [tools.clusterKind, Secret], timeout: "2m", prune: false } as const;
  return controller(kind, kinds, (context) => reconcile(context as unknown as BackupContext, tools));
}

interface Scene<C extends AsyncDisposable, P> extends Tools<C, P> {
  readonly context: BackupContext;
  readonly object: BackupObject;
  readonly cluster: ClusterObject | undefined;
  readonly seen: BackupSeen;
}

async function reconcile<C extends AsyncDisposable, P>(
  context: BackupContext,
  tools: Tools<C, P>,
): Promise<ReconcileResult> {
  const { object } = context;
  const { setting, clusterKind } = tools;
  measureBackups(context, object);
  const cluster = context.get(clusterKind, object.spec.cluster);
  const seen: BackupSeen = {
    now: setting.environment.now(),
    spec: object.spec,
    status: object.status ?? {},
    created: Date.parse(object.metadata.creationTimestamp ?? ""),
    jobs: context.find(Pod, { owner: object }).map((pod) => seeBackupJob(pod, setting.naming)),
    cluster: cluster === undefined ? "none" : donorOf(cluster) === undefined ? "hibernated" : "available",
    lineage: cluster && (cluster.status?.lineage ?? cluster.metadata.uid),
  };
  return await act(nextStep(seen), { ...tools, context, object, cluster, seen });
}

/** A replica that replicates, so that the primary keeps its speed; else the primary. */
function donorOf({ status }: ClusterObject): string | undefined {
  const healthy = (status?.members ?? []).filter(({ health, state }) => health === "Healthy" && state === "Joined");
  return (healthy.find(({ role }) => role === "Replica") ?? healthy.find(({ role }) => role === "Primary"))?.name;
}

async function act<C extends AsyncDisposable, P>(step: BackupStep, scene: Scene<C, P>): Promise<ReconcileResult> {
  const { context, seen } = scene;
  const { status } = context;
  switch (step.do) {
    case "make":
    case "verify":
      await startJob(step, scene);
      return requeue("5s", { reason: "a job is running" });
    case "store-log":
      return await storeLog(scene);
    case "record":
      record(step.job, step.result, scene);
      return requeue("100ms", { reason: "the result was recorded" });
    case "clear":
      await context.remove(Pod, step.pod);
      return requeue("1s", { reason: "the job is done" });
    case "refuse":
      if (seen.status.message !== step.why) context.event("Warning", step.reason, step.why);
      status.phase = "Pending";
      status.message = step.why;
      status.condition("Ready", false, { reason: step.reason, message: step.why });
      return requeue("30s", { reason: step.why });
    case "wait":
      if (step.isRunning) status.message = step.why;
      if (!step.isRunning) noteNext(scene);
      return requeue(`${Math.max(1, Math.round(step.ms))}ms`, { reason: step.why });
    case "rest":
      return undefined;
  }
}

async function startJob<C extends AsyncDisposable, P>(
  step: Extract<BackupStep, { do: "make" | "verify" }>,
  scene: Scene<C, P>,
): Promise<void> {
  const { context, object, cluster, seen, backups } = scene;
  if (cluster === undefined) return;
  const { spec } = object;
  const retention = retentionOf(object);
  if (step.do === "make") {
    const member = donorOf(cluster) ?? "";
    const draft: Draft = { ...draftOf(scene, cluster, member), type: "full", spec: cluster.spec };
    const isLast = spec.verify === "checksum";
    const job: Job = {
      ...storeWork(spec),
      do: "store",
      draft,
      compression: spec.compression,
      ...(isLast ? retention : {}),
    };
    await createPod(scene, { purpose: "backup", job, server: { script: backups.dump, member } });
  } else {
    const { name, digest } = step.record;
    const { namespace = "" } = object.metadata;
    const wanted = { cluster: { namespace, name: spec.cluster } };
    const job: Job = {
      ...storeWork(spec),
      do: "compare",
      backup: name,
      ...(digest ? { digest } : {}),
      wanted,
      ...retention,
    };
    await createPod(scene, { purpose: "verify", job, server: { script: backups.trial } });
  }
  const { status } = context;
  status.phase = "Running";
  status.message =
    step.do === "make" ? "the backup is being made" : "the backup is being restored into a scratch server";
  status.lastAttempt = formatTime(seen.now);
}

function draftOf<C extends AsyncDisposable, P>(
  { object, setting }: Scene<C, P>,
  { metadata, status, spec }: ClusterObject,
  member: string,
): Omit<Draft, "type"> {
  const { namespace = "", name, uid } = metadata;
  return {
    application: setting.application.name,
    cluster: { namespace, name, uid, lineage: status?.lineage ?? uid },
    member,
    version: status?.version ?? spec.version,
    ...(object.spec.schedule === undefined ? {} : { schedule: object.metadata.name }),
  };
}

function retentionOf({ spec: { retention } }: BackupObject) {
  if (retention === undefined) return {};
  const { count, age } = retention;
  const limits = {
    ...(count === undefined ? {} : { count }),
    ...(age === undefined ? {} : { ageMs: toMilliseconds(age) }),
  };
  return { retention: limits };
}

interface NewJob {
  readonly purpose: Purpose;
  readonly job: Job;
  readonly server: ServerScript;
}

async function createPod<C extends AsyncDisposable, P>(
  { context, object, cluster, setting }: Scene<C, P>,
  { purpose, job, server }: NewJob,
): Promise<void> {
  if (cluster === undefined) return;
  const template = templateOf(cluster, setting);
  const pod = server.member === undefined ? undefined : context.get(Pod, server.member);
  const isSecured = pod !== undefined && securedMembers([pod]).size > 0;
  const trustSecret = isSecured ? trustSecretName(cluster.metadata.name) : undefined;
  const options: JobPodOptions = {
    // The server's programs are of the release that runs, which is not always that of the spec.
    template: { ...template, version: cluster.status?.version ?? template.version },
    agentImage: resolveAgentImage(context.get as never, setting.environment.agentImage),
    purpose,
    access: object.spec,
    timeout: object.spec.timeout,
    job,
  };
  await context.create(
    Pod,
    { prefix: `${object.metadata.name.slice(0, 40)}-${purpose}-` },
    handOverPod(options, { ...server, trustSecret }),
  );
}

async function storeLog<C extends AsyncDisposable, P>(scene: Scene<C, P>): Promise<ReconcileResult> {
  const { context, seen, cluster, backups, object, setting } = scene;
  if (cluster === undefined || backups.log === undefined) return undefined;
  const { fetch } = backups.log;
  const donor = donorOf(cluster) ?? "";
  await using clients = clientsOf(scene, cluster);
  return await archiveLog({
    application: setting.application,
    seen,
    primary: cluster.status?.primary ?? "",
    donor,
    clients,
    startJob: async ({ from, to, piece }, until) => {
      const draft: Draft = { ...draftOf(scene, cluster, donor), type: "log", from, position: to, until };
      const { compression } = object.spec;
      const job: Job = { ...storeWork(object.spec), do: "store", draft, compression };
      await createPod(scene, { purpose: "log", job, server: { script: fetch, member: donor, piece } });
    },
    write: (log) => {
      context.status.log = log;
    },
    warn: (message) => gap(scene, message),
  });
}

function gap<C extends AsyncDisposable, P>({ context }: Scene<C, P>, message: string): void {
  context.event("Warning", "LogNotArchived", message);
  context.status.condition("LogArchived", false, { reason: "LogNotArchived", message });
}

function clientsOf<C extends AsyncDisposable, P>(
  { context, setting }: Scene<C, P>,
  cluster: ClusterObject,
): MemberClients<C, P> {
  const { metadata, status } = cluster;
  const { name, namespace = "" } = metadata;
  const pods = (status?.members ?? []).flatMap((member) => context.get(Pod, member.name) ?? []);
  const addresses = pods.flatMap((pod): [string, string][] =>
    pod.status?.podIP === undefined ? [] : [[pod.metadata.name, pod.status.podIP]],
  );
  return new MemberClients(setting.application, {
    cluster: name,
    namespace,
    addresses: new Map(addresses),
    password: passwordsOf(context, name).operator,
    authority: connectionTrust(tlsInput(context as never, cluster, setting.environment.now())),
    secured: securedMembers(pods),
    dial: setting.environment.dial,
  });
}

function record<C extends AsyncDisposable, P>(job: BackupJob, result: JobResult, scene: Scene<C, P>): void {
  const { status, event } = scene.context;
  status.recorded = job.pod;
  if (job.purpose === "log") return recordLog(result, scene);
  if (!result.ok) return recordFailure(job, result, scene);
  if (result.shared !== undefined) event("Warning", "PrefixShared", result.shared);
  for (const why of result.refused ?? []) event("Warning", "BackupRefused", why);
  const { last, backups = [] } = scene.seen.status;
  const newest: BackupRecord | undefined =
    job.purpose === "verify"
      ? last && { ...last, verified: "restore" }
      : result.manifest && toRecord(result.manifest, result.digest);
  if (newest === undefined) return;
  const others = backups.filter(({ name }) => name !== newest.name);
  // The log of a cluster that was restored in place continues the first backup after that.
  if (last?.lineage !== newest.lineage) status.log = undefined;
  status.last = newest;
  status.backups = [newest, ...others].slice(0, result.kept ?? 500);
  succeed(newest, scene);
}

function recordFailure<C extends AsyncDisposable, P>(
  { purpose }: BackupJob,
  { code, message }: Extract<JobResult, { ok: false }>,
  { context, seen }: Scene<C, P>,
): void {
  const { status, event } = context;
  status.failures = (seen.status.failures ?? 0) + 1;
  // The backoff begins at the end of this attempt.
  status.lastAttempt = formatTime(seen.now);
  status.phase = seen.spec.schedule === undefined ? "Failed" : "Scheduled";
  status.message = `${code}: ${message}`;
  const reason = /^[A-Za-z]+$/u.test(code) ? code : "Failed";
  status.condition("Ready", false, { reason, message });
  event("Warning", purpose === "verify" ? "VerificationFailed" : "BackupFailed", `${code}: ${message}`);
}

/** A backup that still needs its trial restore does not count yet. */
function succeed<C extends AsyncDisposable, P>(newest: BackupRecord, { context, seen }: Scene<C, P>): void {
  const { status, event } = context;
  status.failures = 0;
  if (seen.spec.verify === "restore" && newest.verified !== "restore") {
    status.message = `${newest.name} is yet to be tried`;
    return;
  }
  status.phase = seen.spec.schedule === undefined ? "Succeeded" : "Scheduled";
  status.message = `position ${newest.position} is in ${newest.name}`;
  const message = `${newest.name}, ${newest.bytes} bytes`;
  status.condition("Ready", true, { reason: "BackupSucceeded", message });
  event("Normal", "BackupSucceeded", `position ${newest.position} is in ${message}`);
}

function recordLog<C extends AsyncDisposable, P>(result: JobResult, scene: Scene<C, P>): void {
  const { context, seen } = scene;
  const { log } = seen.status;
  if (log === undefined) return;
  if (!result.ok || result.manifest === undefined) {
    const why = result.ok ? "no result" : `${result.code}: ${result.message}`;
    context.status.log = { ...log, failures: log.failures + 1, lastAttempt: formatTime(seen.now) };
    return gap(scene, why);
  }
  const { position, until, name } = result.manifest;
  context.status.log = { ...log, position, until: formatTime(Date.parse(until)), failures: 0 };
  context.status.condition("LogArchived", true, { reason: "LogArchived", message: `${position} is in ${name}` });
}

function toRecord(
  { name, cluster, time, stored, version, position }: Manifest,
  digest: string | undefined,
): BackupRecord {
  return {
    name,
    time: formatTime(Date.parse(time)),
    bytes: stored.bytes,
    version,
    position,
    lineage: cluster.lineage,
    ...(digest === undefined ? {} : { digest }),
    // The content was read back and compared before the manifest was written.
    verified: "checksum",
  };
}

function noteNext<C extends AsyncDisposable, P>({ context, seen }: Scene<C, P>): void {
  const due = backupTime(seen);
  if (seen.spec.schedule === undefined || due === undefined || !Number.isFinite(due)) return;
  context.status.phase = "Scheduled";
  context.status.nextTime = formatTime(due);
}
