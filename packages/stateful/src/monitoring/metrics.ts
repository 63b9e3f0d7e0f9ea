/** Metrics of clusters and of their backups: what alert rules and dashboards are made from. */
import { gauge } from "@capstan/runtime";
import type { ActionContext } from "../act/context.ts";
import type { BackupObject } from "../backup/resource.ts";
import { isWitness, viewOf } from "../decide/view.ts";

const CLUSTER = ["kind", "namespace", "name"] as const;
const MEMBER = [...CLUSTER, "member"] as const;

/** All metrics of one cluster, by what they say. */
const CONDITION = gauge("capstan_stateful_condition", "Whether a condition of the cluster is true", [
  ...CLUSTER,
  "type",
]);
const WANTED = gauge("capstan_stateful_members_wanted", "Members that the spec asks for", CLUSTER);
const READY = gauge("capstan_stateful_members_ready", "Members that serve", CLUSTER);
const SYNCED = gauge("capstan_stateful_replicas_in_sync", "Replicas that have every acknowledged write", CLUSTER);
const EPOCH = gauge("capstan_stateful_epoch", "Grows with each change of the primary", CLUSTER);
const WAITING = gauge("capstan_stateful_waiting_writes", "Clients that wait for an acknowledgement", CLUSTER);
const USED = gauge("capstan_stateful_volume_used_ratio", "How full the volume of a member is, from 0 to 1", MEMBER);
const SILENT = gauge("capstan_stateful_member_silent_seconds", "How long a member has not responded", MEMBER);
const OBSERVED = gauge("capstan_stateful_observed_seconds", "Time of the last look, since 1970", CLUSTER);
const BACKUP_FAILURES = gauge("capstan_stateful_backup_failures", "Failed backups in a row", CLUSTER);
const BACKUP_TIME = gauge("capstan_stateful_backup_seconds", "Time of the newest backup, since 1970", CLUSTER);
const BACKUP_DUE = gauge("capstan_stateful_backup_due_seconds", "When the next backup is due, since 1970", CLUSTER);
const LOG_GAP = gauge("capstan_stateful_log_gap", "Whether the stored log of writes has a gap", CLUSTER);

/** The names of all metrics. */
export const metricNames: readonly string[] = [
  CONDITION,
  WANTED,
  READY,
  SYNCED,
  EPOCH,
  WAITING,
  USED,
  SILENT,
  OBSERVED,
  BACKUP_FAILURES,
  BACKUP_TIME,
  BACKUP_DUE,
  LOG_GAP,
].map(({ name }) => name);

/** Measures a cluster as it was observed. */
export function measureCluster<C extends AsyncDisposable, P>({ metric, seen }: ActionContext<C, P>): void {
  const { kind, status } = seen.object;
  const labels = { kind, namespace: seen.namespace, name: seen.name };
  const { members, primary, followers } = viewOf<P>(seen);
  for (const { type, status: value } of status?.conditions ?? []) {
    metric(CONDITION).set({ ...labels, type }, Number(value === "True"));
  }
  metric(WANTED).set(labels, seen.desired.size);
  metric(READY).set(labels, status?.ready ?? 0);
  metric(SYNCED).set(labels, followers.filter((member) => isWitness(member)).length);
  metric(EPOCH).set(labels, seen.recorded.epoch);
  metric(WAITING).set(labels, primary?.report?.waitingForAcknowledgement ?? 0);
  metric(OBSERVED).set(labels, seen.now / 1_000);
  for (const { name: member, report, silentForMs } of members) {
    metric(SILENT).set({ ...labels, member }, silentForMs / 1_000);
    if (report?.volume === undefined) continue;
    const { usedBytes, sizeBytes } = report.volume;
    metric(USED).set({ ...labels, member }, sizeBytes === 0 ? 0 : usedBytes / sizeBytes);
  }
}

/** Measures the backups of an object. */
export function measureBackups({ metric }: Pick<ActionContext<never, never>, "metric">, object: BackupObject): void {
  const { kind, metadata, status = {} } = object;
  const labels = { kind, namespace: metadata.namespace ?? "", name: metadata.name };
  metric(BACKUP_FAILURES).set(labels, status.failures ?? 0);
  if (status.last !== undefined) metric(BACKUP_TIME).set(labels, Date.parse(status.last.time) / 1_000);
  if (status.nextTime !== undefined) metric(BACKUP_DUE).set(labels, Date.parse(status.nextTime) / 1_000);
  if (status.log !== undefined) metric(LOG_GAP).set(labels, Number(status.log.failures > 0));
}
