/** Runs an EtcdOperation: validates it, runs it once, reports the result, and deletes it after its TTL. */
import { controller, requeue, toMilliseconds } from "capstan";
import type { Context, Controller, ObjectOf, ReconcileResult } from "capstan";
import { Pod, Secret } from "capstan/kinds/v1";
import { parseDuration } from "../duration.ts";
import { EtcdError } from "../etcd/index.ts";
import { EtcdBackup, EtcdCluster, EtcdOperation } from "../kinds/index.ts";
import { openMemberClients } from "../observe/index.ts";
import type { ClusterObject, Environment, MemberClients } from "../observe/index.ts";
import { formatTimestamp } from "../timestamp.ts";

const OWNS = [EtcdOperation, EtcdBackup] as const;
const READS = [EtcdCluster, Pod, Secret] as const;
type OperationContext = Context<typeof EtcdOperation, (typeof OWNS)[number], (typeof READS)[number]>;
type Operation = ObjectOf<typeof EtcdOperation>;

type Progress =
  | { readonly is: "running"; readonly message: string; readonly done?: readonly string[] }
  | { readonly is: "done"; readonly message: string; readonly done?: readonly string[] }
  | { readonly is: "failed" | "rejected"; readonly message: string };

export function operationController(outside: Environment): Controller {
  return controller(EtcdOperation, { owns: OWNS, reads: READS, prune: false }, (context) => turn(context, outside));
}

async function turn(context: OperationContext, outside: Environment): Promise<ReconcileResult> {
  const { object, status, get, event } = context;
  const operation = object;
  if (operation.status?.ended !== undefined) return await retire(context, operation.status.ended, outside.now());
  const cluster = get(EtcdCluster, operation.spec.cluster);
  const progress =
    cluster === undefined
      ? rejected(`there is no EtcdCluster ${operation.spec.cluster}`)
      : await goOn(context, { operation, cluster, outside });
  const now = formatTimestamp(outside.now());
  status.message = progress.message;
  status.began = operation.status?.began ?? now;
  if (operation.status?.began === undefined && cluster?.status !== undefined) status.size = cluster.status.size;
  if ("done" in progress && progress.done !== undefined) status.done = [...progress.done];
  status.phase = PHASES[progress.is];
  status.condition("Complete", progress.is === "done", progress.message);
  if (progress.is === "running") return requeue("2s", { reason: progress.message });
  status.ended = now;
  event(progress.is === "done" ? "Normal" : "Warning", PHASES[progress.is], progress.message);
  return requeue(toMilliseconds(operation.spec.ttl), { reason: "ended" });
}

const PHASES = { running: "Running", done: "Succeeded", failed: "Failed", rejected: "Rejected" } as const;

function rejected(message: string): Progress {
  return { is: "rejected", message };
}

async function retire({ object, remove }: OperationContext, ended: string, now: number): Promise<ReconcileResult> {
  const { spec, metadata } = object;
  const left = Date.parse(ended) + parseDuration(spec.ttl) - now;
  if (left > 0) return requeue(left, { reason: "ended" });
  await remove(EtcdOperation, metadata.name);
  return undefined;
}

interface Task {
  readonly operation: Operation;
  readonly cluster: ClusterObject;
  readonly outside: Environment;
}

async function goOn(context: OperationContext, task: Task): Promise<Progress> {
  const { operation, cluster } = task;
  const { defragment, moveLeader, replaceMember, snapshot } = operation.spec.do;
  if (cluster.spec.size === 0) return rejected(`${operation.spec.cluster} is hibernated: no member can be asked`);
  if (replaceMember !== undefined) return replace(operation, cluster, replaceMember.member);
  if (snapshot !== undefined) return await snapshotNow(context, operation, snapshot.backup);
  await using clients = openMemberClients(context, cluster, task.outside);
  try {
    if (defragment !== undefined)
      return await defragmentNext(context, { ...task, reach: clients, only: defragment.member });
    context.signal.throwIfAborted();
    return await lead(clients, cluster, moveLeader?.to);
  } catch (error) {
    if (error instanceof EtcdError) return { is: "running", message: `${error.message}; trying again` };
    throw error;
  }
}

/** The controller of the cluster replaces the member while the operation runs. */
function replace(operation: Operation, { spec, status }: ClusterObject, member: string): Progress {
  const isThere = status?.members?.some(({ name }) => name === member) === true;
  if (isThere) return { is: "running", message: `${member} is being replaced` };
  if (operation.status?.phase !== "Running") return rejected(`${operation.spec.cluster} has no member ${member}`);
  // As many members as before: a scale-up at the same time is independent and may have to wait.
  const desired = Math.min(spec.size, operation.status.size ?? spec.size);
  const { size = 0, ready } = status ?? {};
  const isWhole = size >= desired && ready === size;
  return isWhole
    ? { is: "done", message: `${member} was replaced` }
    : { is: "running", message: "the new member is joining" };
}

interface Defragmentation extends Task {
  readonly reach: MemberClients;
  readonly only: string | undefined;
}

async function defragmentNext(
  { step }: OperationContext,
  { operation, cluster, reach, only }: Defragmentation,
): Promise<Progress> {
  const { members = [], leader } = cluster.status ?? {};
  const names = members
    .map(({ name }) => name)
    .toSorted((one, other) => Number(one === leader) - Number(other === leader));
  if (only !== undefined && !names.includes(only)) return rejected(`${operation.spec.cluster} has no member ${only}`);
  const desired = only === undefined ? names : [only];
  const done = operation.status?.done ?? [];
  const next = desired.find((name) => !done.includes(name));
  if (next === undefined) return { is: "done", message: `${done.join(", ")} defragmented`, done };
  const client = reach.to(next);
  if (client === undefined) return { is: "running", message: `waiting for ${next}, which does not run` };
  // The member pauses meanwhile: the step is recorded first, which only the elected leader can do.
  await step(`defragment ${next}`, () => client.maintenance.defragment({ timeoutMs: 120_000 }));
  return { is: "running", message: `${next} was defragmented`, done: [...done, next] };
}

async function lead(clients: MemberClients, { status }: ClusterObject, desired: string | undefined): Promise<Progress> {
  const { members = [], leader = "" } = status ?? {};
  const followers = members.filter(({ role, health }) => role === "Follower" && health === "Healthy");
  const [furthest] = followers.toSorted((one, other) => (one.lag ?? 0) - (other.lag ?? 0));
  const target = desired === undefined ? furthest : members.find(({ name }) => name === desired);
  if (target?.id === undefined)
    return rejected(desired === undefined ? "there is no follower that is well" : `there is no member ${desired}`);
  if (target.name === leader) return { is: "done", message: `${leader} leads` };
  const client = clients.to(leader);
  if (client === undefined) return { is: "running", message: "waiting for a leader" };
  await client.maintenance.moveLeader(target.id);
  return { is: "done", message: `${target.name} leads instead of ${leader}` };
}

/** Label of an EtcdBackup: the uid of the EtcdOperation that requested it. */
const OPERATION_LABEL = "etcd.capstan.dev/operation";

/** Creates an EtcdBackup with the settings of an existing one. */
async function snapshotNow(
  { get, apply }: OperationContext,
  operation: Operation,
  template: string,
): Promise<Progress> {
  const { name, uid } = operation.metadata;
  const model = get(EtcdBackup, template);
  if (model === undefined) return rejected(`there is no EtcdBackup ${template}`);
  const { cluster } = operation.spec;
  if (model.spec.cluster !== cluster)
    return rejected(`the EtcdBackup ${template} is of ${model.spec.cluster}, not of ${cluster}`);
  const { schedule: _schedule, retention: _retention, ...rest } = model.spec;
  // The backup outlives the operation, so its usual name may be in use by an earlier one.
  const usual = `${name}-snapshot`;
  const former = get(EtcdBackup, usual);
  const isFree = former === undefined || former.metadata.labels?.[OPERATION_LABEL] === uid;
  const metadata = { labels: { [OPERATION_LABEL]: uid } };
  const own = isFree ? usual : `${usual}-${uid.slice(0, 8)}`;
  const made = await apply(EtcdBackup, own, { metadata, spec: rest }, { owned: false });
  const { phase, message = "" } = made.status ?? {};
  if (phase === "Succeeded") return { is: "done", message };
  return phase === "Failed" ? { is: "failed", message } : { is: "running", message: "the snapshot is being taken" };
}
