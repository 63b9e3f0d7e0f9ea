/** The last known result of every official test on the embedded cluster, kept in the repository; a page is made from it. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestResult } from "./report.ts";

/** What is kept of a result. */
export type KeptResult = Pick<TestResult, "state" | "seconds" | "reason">;

const folder = join(import.meta.dirname, "..");
const file = join(folder, "results.json");

/** The lists that are kept here, in the order of the page. */
export const listNames = ["api-only", "with-pods", "two-nodes", "rest"] as const;

/** The path of a list: a file, or the name of one that is kept here. */
export function findList(name: string): string | undefined {
  return [name, join(folder, "lists", `${name}.txt`)].find((path) => existsSync(path));
}

/** All results by the name of the test. */
export function readResults(): ReadonlyMap<string, KeptResult> {
  const kept = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as { [name: string]: KeptResult }) : {};
  return new Map(Object.entries(kept));
}

/** Adds the results of a run. */
export function keepResults(results: readonly TestResult[]): void {
  const all = new Map(readResults());
  for (const { name, state, seconds, reason } of results)
    all.set(name, { state, seconds: Math.round(seconds * 10) / 10, reason });
  const sorted = [...all].sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(sorted), undefined, 1)}\n`);
}
