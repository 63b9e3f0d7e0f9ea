/** What trials came to, one line of JSON each, if somebody wants it written down. */
import { existsSync } from "node:fs";
import { appendFile, readFile } from "node:fs/promises";
import { circumstances } from "./circumstances.ts";
import type { Circumstances } from "./circumstances.ts";

/** One harm, once. */
export interface TrialResult {
  readonly kind: "trial";
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
  /** What the operator says about a recovery from a lost quorum. */
  readonly recovery?: { readonly reason: string; readonly mayBeLost: string };
}

/** One case in which the operator must do nothing. */
export interface RefusalResult {
  readonly kind: "refusal";
  readonly name: string;
  readonly ground: "embedded" | "kubernetes";
  readonly mendedBy: string;
  /** The operator's words. */
  readonly words: string;
}

export type Recorded = Circumstances & (TrialResult | RefusalResult);

/** The file that results are added to, if there is one. */
const RECORD = process.env["ETCD_FAULTS_RECORD"];

export async function record(result: TrialResult | RefusalResult): Promise<void> {
  if (RECORD !== undefined) await appendFile(RECORD, `${JSON.stringify({ ...circumstances(), ...result })}\n`);
}

/** What was recorded before, in the file that results are added to. */
export async function recordedResults(): Promise<readonly Recorded[]> {
  return RECORD === undefined || !existsSync(RECORD) ? [] : parseResults(await readFile(RECORD, "utf8"));
}

/** Reads recorded results. */
export function parseResults(text: string): readonly Recorded[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Recorded);
}
