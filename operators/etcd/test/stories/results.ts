/** Results of trials, one line of JSON each, in an optional file. */
import { existsSync } from "node:fs";
import { appendFile, readFile } from "node:fs/promises";
import { circumstances } from "./circumstances.ts";
import type { Circumstances } from "./circumstances.ts";

/** One trial of one fault. */
export interface TrialResult {
  readonly kind: "trial";
  readonly harm: string;
  readonly ground: "embedded" | "kubernetes";
  readonly seed: string;
  /** The affected member or node, and the manner. */
  readonly detail: string;
  readonly operatorWas: "at rest" | "at work";
  /** Seconds until three members were healthy again and clients were served. */
  readonly seconds: number;
  /** The longest time without an acknowledged write of any client. */
  readonly secondsWithoutWrite: number;
  /** Responses that clients got, all of which were checked. */
  readonly answers: number;
  /** Acknowledged writes that were gone afterwards. */
  readonly lost: number;
  /** What the operator reports about a recovery from a quorum loss. */
  readonly recovery?: { readonly reason: string; readonly mayBeLost: string };
}

/** One case in which the operator must not act. */
export interface RefusalResult {
  readonly kind: "refusal";
  readonly name: string;
  readonly ground: "embedded" | "kubernetes";
  readonly mendedBy: string;
  /** The operator's message. */
  readonly words: string;
}

export type Recorded = Circumstances & (TrialResult | RefusalResult);

/** The file that results are appended to, if any. */
const RECORD = process.env["ETCD_FAULTS_RECORD"];

export async function record(result: TrialResult | RefusalResult): Promise<void> {
  if (RECORD !== undefined) await appendFile(RECORD, `${JSON.stringify({ ...circumstances(), ...result })}\n`);
}

/** The earlier results in that file. */
export async function recordedResults(): Promise<readonly Recorded[]> {
  return RECORD === undefined || !existsSync(RECORD) ? [] : parseResults(await readFile(RECORD, "utf8"));
}

export function parseResults(text: string): readonly Recorded[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Recorded);
}
