/** Decides which long test files run, by their recorded results: one that passed with the same inputs needs no second run. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";

export const LONG_RESULTS = "test/long-results.json";

/** The latest result of a long test file. */
export interface LongResult {
  /** The fingerprint of everything that the file depends on. A result with another fingerprint says nothing about the current sources. */
  readonly inputs: string;
  readonly date: string;
  readonly result: "passed" | "failed";
  readonly seconds: number;
}

export type LongResults = { readonly [file: string]: LongResult };

export interface LongFile {
  readonly file: string;
  readonly inputs: string;
  /** What this run has not built yet, and the file needs. */
  readonly builds: number;
}

export interface LongPlan {
  readonly run: readonly string[];
  readonly fresh: readonly string[];
  readonly leftOut: readonly string[];
}

/** The estimate for a file without a measurement: it needs the whole budget, or it could take CI beyond its limit. */
const unknownSeconds = 3600;

/** A recorded time comes from another machine, which may be twice as fast. */
const slower = 2;

/** A build of Go programs or images on a machine that has built nothing. */
const buildSeconds = 900;

/** The minutes of a run after which long tests are ended: CI ends after 90, and installing before and stopping clusters afterwards take time, too. */
export const LONG_LIMIT_MINUTES = 75;

/**
 * Estimates are added up as if the files ran one after the other. Files with changed inputs run until the budget is used up. A file that never passed comes first, then the one with the oldest result,
 * so that none is left out forever.
 */
export function planLong(files: readonly LongFile[], results: LongResults, budgetSeconds: number): LongPlan {
  const isFresh = ({ file, inputs }: LongFile): boolean =>
    results[file]?.inputs === inputs && results[file].result === "passed";
  const dateOf = ({ file }: LongFile): string => (results[file]?.result === "passed" ? results[file].date : "");
  const stale = files.filter((one) => !isFresh(one)).toSorted((a, b) => (dateOf(a) < dateOf(b) ? -1 : 1));
  let left = budgetSeconds;
  const plan = { run: [] as string[], fresh: files.filter(isFresh).map(({ file }) => file), leftOut: [] as string[] };
  for (const { file, builds } of stale) {
    const known = results[file]?.seconds;
    const seconds = (known === undefined ? unknownSeconds : known * slower) + builds * buildSeconds;
    if (seconds > left) plan.leftOut.push(file);
    else {
      left -= seconds;
      plan.run.push(file);
    }
  }
  return plan;
}

/** The lines about the files that do not run. */
export function planLines({ run, fresh, leftOut }: LongPlan, results: LongResults, budgetSeconds: number): string[] {
  if (run.length + fresh.length + leftOut.length === 0) return [];
  return [
    `long tests: ${run.length} of ${run.length + fresh.length + leftOut.length} run; ${(budgetSeconds / 60).toFixed(0)} minutes are left for them`,
    ...fresh.map((file) => `  not run, as nothing changed since it passed on ${results[file]?.date ?? "?"}: ${file}`),
    ...leftOut.map((file) => `  not run for want of time: npm run test:long -- ${file}`),
  ];
}

export function readLongResults(): LongResults {
  return existsSync(LONG_RESULTS) ? (JSON.parse(readFileSync(LONG_RESULTS, "utf8")) as LongResults) : {};
}

export function writeLongResults(results: LongResults): void {
  const sorted = Object.entries(results).toSorted(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(LONG_RESULTS, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
}
