/** What steps of the lifecycle came to, one line of JSON each, in the file that `ETCD_LIFECYCLE_RECORD` names. */
import { execFileSync } from "node:child_process";
import { appendFile } from "node:fs/promises";
import { availableParallelism, loadavg } from "node:os";
import type { StepReport } from "../linearizability/workload.ts";

/** One step on one cluster. */
export interface Measured extends StepReport {
  readonly ground: "embedded" | "kubernetes";
}

/** With where and when it was. */
export interface Recorded extends Measured {
  readonly at: string;
  readonly commit: string;
  readonly cores: number;
  /** Processes that wanted to run, as the machine tells it. */
  readonly load: number;
}

export async function record(step: Measured): Promise<void> {
  const path = process.env["ETCD_LIFECYCLE_RECORD"];
  if (path === undefined) return;
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  const [load = 0] = loadavg();
  const recorded: Recorded = {
    at: new Date().toISOString().slice(0, 16),
    commit,
    cores: availableParallelism(),
    load: Math.round(load),
    ...step,
  };
  await appendFile(path, `${JSON.stringify(recorded)}\n`);
}
