/** Metrics of backups: duration, and failures by reason. */
import { counter, gauge } from "capstan";
import type { Context } from "capstan";
import type { EtcdBackup } from "../kinds/index.ts";
import type { JobResult } from "./agent/job.ts";
import type { BackupJob } from "./pods.ts";

const BACKUP = ["namespace", "cluster", "backup"] as const;

export const BACKUP_SECONDS = gauge(
  "etcd_operator_backup_duration_seconds",
  "From the pod to the result, of the last backup and of the last trial of one (purpose `verify`)",
  [...BACKUP, "purpose"],
);
export const BACKUP_FAILURES = counter(
  "etcd_operator_backup_failures_total",
  "Backups and trials that failed, by the code of the reason",
  [...BACKUP, "purpose", "code"],
);

/** One job that has ended. */
export interface EndedJob {
  readonly job: BackupJob;
  readonly result: JobResult;
  readonly labels: { readonly [Label in (typeof BACKUP)[number]]: string };
  readonly now: number;
}

export function measureJob(metric: Context<typeof EtcdBackup>["metric"], { job, result, labels, now }: EndedJob): void {
  const { purpose } = job;
  if (result.ok) metric(BACKUP_SECONDS).set({ ...labels, purpose }, (now - job.created) / 1000);
  else metric(BACKUP_FAILURES).add({ ...labels, purpose, code: result.code });
}
