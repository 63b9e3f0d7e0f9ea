/** Metrics of the operator about its clusters. The members serve etcd's metrics themselves. */
import { counter, gauge } from "capstan";
import { viewOf } from "../decide/index.ts";
import type { ActionContext } from "./reconcile-context.ts";

const CLUSTER = ["namespace", "cluster"] as const;

export const WANTED_MEMBERS = gauge("etcd_operator_members_wanted", "Members that the spec asks for", CLUSTER);
export const HEALTHY_MEMBERS = gauge("etcd_operator_members_healthy", "Members that are well", CLUSTER);
export const AVAILABLE = gauge("etcd_operator_cluster_available", "Whether the members have quorum", CLUSTER);
export const QUORUM_LOST = gauge("etcd_operator_quorum_lost", "Whether too few members are left to serve", CLUSTER);
export const UPDATE_FAILED = gauge("etcd_operator_update_failed", "Whether an update was put back", CLUSTER);
export const LAST_BACKUP = gauge(
  "etcd_operator_last_backup_seconds",
  "When the newest backup was taken, in seconds since 1970",
  CLUSTER,
);
export const ACTIONS = counter("etcd_operator_actions_total", "Steps that were taken, by kind", [...CLUSTER, "action"]);

/** Actions without a change are not counted. */
const IDLE: ReadonlySet<string> = new Set(["rest", "wait", "refuse"]);

export function measure({ metric, seen, action }: ActionContext): void {
  const { name, namespace = "" } = seen.object.metadata;
  const labels = { namespace, cluster: name };
  const view = viewOf(seen);
  const conditions = seen.object.status?.conditions ?? [];
  const isTrue = (type: string): number => Number(conditions.some((one) => one.type === type && one.status === "True"));
  metric(WANTED_MEMBERS).set(labels, seen.desired.size);
  metric(HEALTHY_MEMBERS).set(labels, view.members.filter(({ isWell }) => isWell).length);
  metric(AVAILABLE).set(labels, Number(view.hasQuorum));
  metric(QUORUM_LOST).set(labels, isTrue("QuorumLost"));
  metric(UPDATE_FAILED).set(labels, Number(seen.recordedState.update?.failed !== undefined));
  const backup = seen.object.status?.backup?.time;
  if (backup !== undefined) metric(LAST_BACKUP).set(labels, Date.parse(backup) / 1000);
  if (!IDLE.has(action.do)) metric(ACTIONS).add({ ...labels, action: action.do });
}
