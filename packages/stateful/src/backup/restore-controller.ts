/** The controller of restores in place: reads the whole backup first, so that no member stops for one that cannot be restored. */
import { controller, requeue } from "@capstan/runtime";
import type { Context, Controller, ReconcileResult } from "@capstan/runtime";
import { Pod } from "@capstan/kinds/v1";
import { resolveAgentImage } from "../agent-image.ts";
import type { ClusterKind, ClusterObject } from "../cluster/resource.ts";
import { templateOf } from "../observe/observe.ts";
import type { Setting } from "../observe/observe.ts";
import type { JobResult } from "./agent/job.ts";
import { storeWork } from "./parts.ts";
import { agentPod, seeBackupJob } from "./pods.ts";
import type { BackupKind } from "./resource.ts";
import type { RestoreKind } from "./restore-resource.ts";
import { wantedOf } from "./seed.ts";

type RestoreContext = Context<RestoreKind, typeof Pod, ClusterKind | BackupKind>;

/** What the controller works with. */
interface Tools<C extends AsyncDisposable, P> {
  readonly setting: Setting<C, P>;
  readonly clusterKind: ClusterKind;
  readonly backupKind: BackupKind;
}

export function restoreController<C extends AsyncDisposable, P>(kind: RestoreKind, tools: Tools<C, P>): Controller {
  const kinds = { owns: [Pod], reads: [tools.clusterKind, tools.backupKind], prune: false } as const;
  return controller(kind, kinds, (context) => reconcile(context as unknown as RestoreContext, tools));
}

async function reconcile<C extends AsyncDisposable, P>(
  context: RestoreContext,
  tools: Tools<C, P>,
): Promise<ReconcileResult> {
  const { object, status } = context;
  const cluster = context.get(tools.clusterKind, object.spec.cluster);
  switch (object.status?.phase) {
    case "Succeeded":
      return undefined;
    case "Failed":
      return await removeJobs(context);
    case "Verified":
    case "Restoring":
      await removeJobs(context);
      return follow(context, cluster);
    default:
      break;
  }
  if (cluster === undefined) {
    const message = `there is no cluster ${object.spec.cluster}: create it with spec.bootstrap`;
    status.phase = "Pending";
    return tell(context, { reason: "ClusterMissing", message });
  }
  const [job] = context.find(Pod, { owner: object }).map((pod) => seeBackupJob(pod, tools.setting.naming));
  if (job === undefined) return await describe(context, cluster, tools);
  if (job.state.is === "ended") return record(context, job.state.result);
  status.message = job.state.failure ?? "the backup is being read";
  return requeue("5s", { reason: "the backup is being read" });
}

async function describe<C extends AsyncDisposable, P>(
  context: RestoreContext,
  cluster: ClusterObject,
  { setting, backupKind }: Tools<C, P>,
): Promise<ReconcileResult> {
  const { object, status } = context;
  const { spec, metadata } = object;
  const template = templateOf(cluster, setting);
  const named = wantedOf(spec, { namespace: metadata.namespace ?? "", name: spec.cluster });
  const wanted = spec.backup === undefined ? { ...named, recorded: recordedOf(context, backupKind) } : named;
  const pod = agentPod({
    template,
    agentImage: resolveAgentImage(context.get as never, setting.environment.agentImage),
    purpose: "describe",
    access: spec,
    timeout: "6h",
    job: { ...storeWork(spec), do: "describe", wanted, version: template.version },
  });
  await context.create(Pod, { prefix: `${metadata.name.slice(0, 40)}-describe-` }, pod);
  status.phase = "Pending";
  status.message = "the backup is being read";
  return requeue("2s", { reason: "the backup is being read" });
}

/** The newest backup of that cluster that the operator made in that store: an older one must not take its place. */
function recordedOf(context: RestoreContext, backupKind: BackupKind) {
  const { spec } = context.object;
  if (
    spec.until !== undefined ||
    (spec.sourceCluster?.namespace ?? context.object.metadata.namespace) !== context.object.metadata.namespace
  ) {
    return undefined;
  }
  const cluster = spec.sourceCluster?.name ?? spec.cluster;
  const records = context
    .find(backupKind)
    .filter((one) => one.spec.cluster === cluster && JSON.stringify(one.spec.store) === JSON.stringify(spec.store))
    .flatMap(({ status }) => status?.last ?? []);
  const [newest] = records.toSorted((one, other) => (one.time < other.time ? 1 : -1));
  return newest && { name: newest.name, digest: newest.digest };
}

function record(context: RestoreContext, result: JobResult): ReconcileResult {
  const { status, event } = context;
  if (!result.ok || result.manifest === undefined) {
    const { code, message } = result.ok ? { code: "Lost", message: "the job has no result" } : result;
    status.phase = "Failed";
    const reason = /^[A-Za-z]+$/u.test(code) ? code : "Failed";
    return tell(context, { reason, message: `${code}: ${message}. The cluster keeps its data` });
  }
  const { name, position } = result.manifest;
  status.phase = "Verified";
  status.backup = name;
  status.position = position;
  if (result.digest !== undefined) status.digest = result.digest;
  status.message = `${name} is whole`;
  event("Normal", "Verified", `${name} is whole; the cluster stops its members and begins with it`);
  return requeue("500ms", { reason: "the cluster begins the restore" });
}

function follow(context: RestoreContext, cluster: ClusterObject | undefined): ReconcileResult {
  const { object, status } = context;
  const { uid } = object.metadata;
  const { restore, lastRestore } = cluster?.status ?? {};
  if (lastRestore?.uid === uid) {
    const message = `${object.spec.cluster} serves ${object.status?.backup}`;
    status.phase = "Succeeded";
    status.message = message;
    status.condition("Complete", true, { reason: "Restored", message });
    context.event("Normal", "Restored", message);
    return undefined;
  }
  if (restore?.uid === uid) status.phase = "Restoring";
  status.message = "the cluster begins with the backup; delete this object to return to the former data";
  return requeue("1s", { reason: "the cluster is being restored" });
}

async function removeJobs(context: RestoreContext): Promise<undefined> {
  for (const { metadata } of context.find(Pod, { owner: context.object })) {
    if (metadata.deletionTimestamp === undefined) await context.remove(Pod, metadata.name);
  }
}

function tell(context: RestoreContext, { reason, message }: { readonly reason: string; readonly message: string }) {
  if (context.object.status?.message !== message) context.event("Warning", reason, message);
  context.status.message = message;
  context.status.condition("Complete", false, { reason, message });
  return requeue("10s", { reason: message });
}
