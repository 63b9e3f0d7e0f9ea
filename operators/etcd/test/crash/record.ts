/** Results of episodes, one line of JSON each, in the file that `ETCD_CRASH_RECORD` names. */
import { appendFile } from "node:fs/promises";
import { circumstances } from "../stories/circumstances.ts";
import type { Circumstances } from "../stories/circumstances.ts";

/** One episode on one cluster. */
export interface Measured {
  readonly ground: "embedded" | "kubernetes";
  readonly episode: string;
  readonly seconds: number;
  /** Writes of the operator that reached the API server. */
  readonly writes: number;
  /** The writes before which the operator was killed. */
  readonly deaths: readonly string[];
  /** Responses that clients got meanwhile, all of which were checked. */
  readonly answers: number;
  /** Acknowledged writes of clients that were gone afterwards. */
  readonly lost: number;
}

/** With the place and the time of the run. */
export type Recorded = Measured & Circumstances;

export async function record(episode: Measured): Promise<void> {
  const path = process.env["ETCD_CRASH_RECORD"];
  if (path !== undefined) await appendFile(path, `${JSON.stringify({ ...circumstances(), ...episode })}\n`);
}
