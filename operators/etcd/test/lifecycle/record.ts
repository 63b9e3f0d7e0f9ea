/** Results of lifecycle steps, one line of JSON each, in the file that `ETCD_LIFECYCLE_RECORD` names. */
import { appendFile } from "node:fs/promises";
import type { StepReport } from "../linearizability/workload.ts";
import { circumstances } from "../stories/circumstances.ts";
import type { Circumstances } from "../stories/circumstances.ts";

/** One step on one cluster. */
export interface Measured extends StepReport {
  readonly ground: "embedded" | "kubernetes";
}

/** With the place and the time of the run. */
export type Recorded = Measured & Circumstances;

export async function record(step: Measured): Promise<void> {
  const path = process.env["ETCD_LIFECYCLE_RECORD"];
  if (path === undefined) return;
  const { at, ...rest } = circumstances();
  const recorded: Recorded = { at: at.slice(0, 16), ...rest, ...step };
  await appendFile(path, `${JSON.stringify(recorded)}\n`);
}
