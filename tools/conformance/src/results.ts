/** The last known result of every official test on the embedded cluster and on the bare server, kept in the repository for the pages. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestResult } from "./report.ts";

/** The stored part of a result. */
export type KeptResult = Pick<TestResult, "state" | "seconds" | "reason">;

const folder = join(import.meta.dirname, "..");

/** What the tests ran on: the embedded cluster, or the API server alone. */
export type TestedOn = "cluster" | "bare";

const files: Readonly<Record<TestedOn, string>> = {
  cluster: join(folder, "results.json"),
  bare: join(folder, "results-bare.json"),
};

/** The lists that are kept here, in the order of the page. */
export const listNames = ["api-only", "with-pods", "two-nodes", "rest"] as const;

/** The path of a list: a file, or the name of one that is kept here. */
export function findList(name: string): string | undefined {
  return [name, join(folder, "lists", `${name}.txt`)].find((path) => existsSync(path));
}

/** All results by the name of the test. */
export function readResults(on: TestedOn): ReadonlyMap<string, KeptResult> {
  const file = files[on];
  const kept = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as { [name: string]: KeptResult }) : {};
  return new Map(Object.entries(kept));
}

/** Adds the results of a run. */
export function keepResults(results: readonly TestResult[], on: TestedOn): void {
  const all = new Map(readResults(on));
  for (const { name, state, seconds, reason } of results)
    all.set(name, { state, seconds: Math.round(seconds * 10) / 10, reason });
  const sorted = [...all].sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(files[on], `${JSON.stringify(Object.fromEntries(sorted), undefined, 1)}\n`);
}

/** One run of everything. */
export interface WholeRun {
  readonly commit: string;
  readonly minutes: number;
  readonly secondTries: number;
}

/** Keeps the results of a run of everything, and where and how it was made. */
export function keepRun(results: readonly TestResult[], run: WholeRun): void {
  keepResults(results, "cluster");
  const day = new Date().toISOString().slice(0, 10);
  const failed = results.filter(({ state }) => state !== "passed").length;
  writeFileSync(
    join(folder, "run.json"),
    `${JSON.stringify({ day, ...run, tests: results.length, failed }, undefined, 1)}\n`,
  );
}
