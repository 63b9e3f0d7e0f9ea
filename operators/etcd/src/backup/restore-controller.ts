/** The controller of EtcdRestore: observes, decides, and takes one step. */
import { requeue, controller } from "capstan";
import type { ReconcileResult, Context, Controller, ObjectOf } from "capstan";
import { Pod } from "capstan/kinds/v1";
import { resolveAgentImage } from "capstan/stateful/parts";
import { recordedFor } from "capstan/stateful/quorum";
import { EtcdBackup, EtcdCluster, EtcdRestore } from "../kinds/index.ts";
import type { BackupMeans } from "./backup-controller.ts";
import { describePod, seeBackupJob } from "./pods.ts";
import type { Expected } from "./pods.ts";
import { nextRestoreStep, specFrom } from "./restore-steps.ts";
import type { Described, RestoreStep, SeenTarget } from "./restore-steps.ts";

type RestoreObject = ObjectOf<typeof EtcdRestore>;
type ClusterObject = ObjectOf<typeof EtcdCluster>;
type RestoreContext = Context<
  typeof EtcdRestore,
  typeof Pod | typeof EtcdCluster,
  typeof EtcdRestore | typeof EtcdBackup
>;

/** Label of a cluster: the restore that created it. */
const RESTORE_LABEL = "etcd.capstan.dev/restore";

export function restoreController(environment: BackupMeans): Controller {
  const kinds = { owns: [Pod, EtcdCluster], reads: [EtcdRestore, EtcdBackup], prune: false } as const;
  return controller(EtcdRestore, kinds, (context) => turn(context, environment));
}

async function turn(context: RestoreContext, environment: BackupMeans): Promise<ReconcileResult> {
  // The type is written out, because another readonly layer would exceed the compiler's depth limit.
  const { object } = context;
  const cluster = context.get(EtcdCluster, object.spec.cluster);
  const all = context.find(EtcdRestore);
  const step = nextRestoreStep({
    uid: object.metadata.uid,
    spec: object.spec,
    status: object.status ?? {},
    jobs: context.find(Pod, { owner: context.object }).map((pod) => seeBackupJob(pod)),
    target: cluster && seeTarget(cluster, object.metadata.uid),
    rival: all.find((other) => isRival(other, object))?.metadata.name,
  });
  return act(step, { context, means: environment, object });
}

interface Scene {
  readonly context: RestoreContext;
  readonly means: BackupMeans;
  readonly object: RestoreObject;
}

async function act(step: RestoreStep, scene: Scene): Promise<ReconcileResult> {
  const { context, object } = scene;
  const { event } = context;
  switch (step.do) {
    case "describe":
      await describe(scene);
      return requeue("10s", { reason: "the backup is being looked up" });
    case "create":
      await create(step, scene);
      return run(step, scene);
    case "overwrite":
      event("Normal", "Overwriting", `all data of ${object.spec.cluster} is replaced by ${step.manifest.name}`);
      context.status.clusterUid = context.get(EtcdCluster, object.spec.cluster)?.metadata.uid;
      return run(step, scene);
    case "succeed":
      finish(scene, {
        isDone: true,
        reason: "Restored",
        message: `${object.spec.cluster} serves ${object.status?.backup}, revision ${object.status?.revision} of its cluster`,
      });
      return undefined;
    case "fail":
      finish(scene, { isDone: false, reason: step.reason, message: step.why });
      return requeue("1s", { reason: "to tidy up" });
    case "clear":
      await context.remove(Pod, step.pod);
      return requeue("1s", { reason: "the job is done" });
    case "wait":
      noteWait(step, scene);
      return requeue("10s", { reason: step.why });
    case "rest":
      return undefined;
  }
}

function noteWait({ reason, why }: Extract<RestoreStep, { do: "wait" }>, { context, object }: Scene): void {
  const { status, event } = context;
  if (reason !== undefined && object.status?.message !== why) event("Warning", reason, why);
  status.phase = object.status?.phase ?? "Pending";
  status.message = why;
  status.condition("Complete", false, { reason: reason ?? "InProgress", message: why });
}

async function describe({ context, means, object }: Scene): Promise<void> {
  const { imagePullSecrets: pullSecrets } = object.spec;
  const labels = { "app.kubernetes.io/managed-by": "etcd-operator" };
  const agentImage = resolveAgentImage(context.get, means.agentImage);
  const pod = describePod({
    agentImage,
    labels,
    pullSecrets,
    source: object.spec,
    expected: expectedBy(context, object),
  });
  await context.create(Pod, { prefix: `${object.metadata.name.slice(0, 40)}-describe-` }, pod);
  context.status.phase = "Pending";
  context.status.message = "the backup is being looked up";
}

/** What the operator knows about the backups that the restore may mean. An existing cluster has its own; a new one has none yet. */
function expectedBy(context: RestoreContext, { metadata, spec }: RestoreObject): Expected {
  const namespace = metadata.namespace ?? "";
  const target = spec.overwrite === undefined ? undefined : context.get(EtcdCluster, spec.cluster);
  const cluster = { namespace, name: spec.cluster, ...(target ? { uid: target.metadata.uid } : {}) };
  const backups = context.find(EtcdBackup) as unknown as readonly ObjectOf<typeof EtcdBackup>[];
  return {
    cluster,
    recorded: recordedFor(backups, { store: spec.store, cluster: spec.sourceCluster ?? cluster }, namespace),
  };
}

/** The cluster outlives the restore, so it is not owned. An interrupted reconcile created the same cluster. */
async function create({ manifest, digest }: Described, { context, object }: Scene): Promise<void> {
  const { cluster } = object.spec;
  const spec = specFrom(manifest, object.spec, digest);
  const labels = { [RESTORE_LABEL]: object.metadata.uid };
  // The spec was valid when the backup was made. The API server validates it again.
  await context.apply(EtcdCluster, cluster, { metadata: { labels }, spec } as never, { owned: false });
  context.event("Normal", "Created", `${cluster} begins with the data of ${manifest.name}`);
}

function run({ manifest, digest }: Described, { context }: Scene): ReconcileResult {
  const { status } = context;
  status.phase = "Running";
  status.backup = manifest.name;
  status.digest = digest;
  status.revision = manifest.revision;
  status.version = manifest.version;
  status.message = "the cluster is being restored";
  return requeue("5s", { reason: "the cluster is being restored" });
}

function finish(
  { context }: Scene,
  end: { readonly isDone: boolean; readonly reason: string; readonly message: string },
): void {
  const { status, event } = context;
  const { isDone, reason, message } = end;
  status.phase = isDone ? "Succeeded" : "Failed";
  status.message = message;
  status.condition("Complete", isDone, { reason, message });
  event(isDone ? "Normal" : "Warning", reason, message);
}

function seeTarget({ metadata, spec, status }: ClusterObject, uid: string): SeenTarget {
  const holds = (type: string): { readonly status?: string; readonly message?: string } | undefined =>
    status?.conditions?.find((condition) => condition.type === type);
  const degraded = holds("Degraded");
  const { recovery } = status ?? {};
  return {
    uid: metadata.uid,
    isOurs: metadata.labels?.[RESTORE_LABEL] === uid,
    version: spec.version,
    isAvailable: holds("Available")?.status === "True",
    trouble: degraded?.status === "True" ? degraded.message : undefined,
    restored: recovery?.phase === "Done" ? recovery.restore : undefined,
    calledOff: recovery?.phase === "Refused" ? { restore: recovery.restore, why: recovery.reason } : undefined,
  };
}

/** The oldest restore goes first. */
function isRival(other: RestoreObject, self: RestoreObject): boolean {
  if (other.spec.cluster !== self.spec.cluster || other.metadata.uid === self.metadata.uid) return false;
  if (other.status?.phase === "Succeeded" || other.status?.phase === "Failed") return false;
  if (other.status?.phase === "Running") return true;
  const [theirs, ours] = [other, self].map(({ metadata }) => `${metadata.creationTimestamp} ${metadata.name}`);
  return (theirs ?? "") < (ours ?? "");
}
