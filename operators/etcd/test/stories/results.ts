/** What trials came to, one line of JSON each, if somebody wants it written down. */
import { appendFile } from "node:fs/promises";

/** One harm, once. */
export interface TrialResult {
  readonly harm: string;
  readonly ground: "embedded" | "kubernetes";
  readonly seed: string;
  /** To whom, and how. */
  readonly detail: string;
  readonly operatorWas: "at rest" | "at work";
  /** Until three members were well again and clients were served. */
  readonly seconds: number;
  /** The longest time in which nobody's write was acknowledged. */
  readonly secondsWithoutWrite: number;
  /** Answers that clients got, all of which were judged. */
  readonly answers: number;
  /** Acknowledged writes that were gone afterwards. */
  readonly lost: number;
  /** Processes that wanted to run, as the machine tells it. */
  readonly load: number;
}

/** Names the file that results are added to. */
const RECORD = "ETCD_FAULTS_RECORD";

export async function record(result: TrialResult): Promise<void> {
  const path = process.env[RECORD];
  if (path !== undefined) await appendFile(path, `${JSON.stringify(result)}\n`);
}
