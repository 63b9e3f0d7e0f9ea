/** The durations of test files: measured by each run, kept beside the dependencies, and committed when a run records them. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

export interface FileTime {
  readonly seconds: number;
  /** User and system time of the process and the children that it waited for; a shared cluster is not among them. */
  readonly cpuSeconds: number;
}

/** By the name of a group of files that run in one process. */
export type Times = { readonly [group: string]: FileTime };

export const RECORDED_TIMES = "test/times.json";
const LATEST_TIMES = "node_modules/.cache/capstan-tests/times.json";

/** The name under which a group is measured: its only file, or the folder of all. */
export function groupName(files: readonly string[]): string {
  const [first = "", ...others] = files;
  if (others.length === 0) return first;
  const parts = first.split("/");
  const isShared = (depth: number): boolean =>
    others.every((file) => file.startsWith(`${parts.slice(0, depth).join("/")}/`));
  const depth = parts.keys().filter(isShared).toArray().at(-1) ?? 0;
  return parts.slice(0, depth).join("/");
}

/** A file without a measurement counts as long, so that it starts early. */
export function estimateOf(files: readonly string[], times: Times): FileTime {
  return times[groupName(files)] ?? { seconds: 10 * files.length, cpuSeconds: 5 * files.length };
}

export function readTimes(file = RECORDED_TIMES): Times {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Times) : {};
}

/** The latest measurements of this machine, and the committed ones for what it never ran. */
export function knownTimes(): Times {
  return { ...readTimes(), ...readTimes(LATEST_TIMES) };
}

export function keepTimes(measured: Times): void {
  write(LATEST_TIMES, { ...readTimes(LATEST_TIMES), ...measured });
}

/** Commits the measurements; groups that no longer exist are dropped. */
export function recordTimes(measured: Times, groups: readonly string[]): void {
  const all = { ...readTimes(), ...measured };
  write(RECORDED_TIMES, Object.fromEntries(Object.entries(all).filter(([group]) => groups.includes(group))));
}

/** The measurements in the output of a run. */
export function timesOfLog(log: string): Times {
  const lines = log.matchAll(/^ok {4}(\S+) \(\d+ tests, ([\d.]+) s, ([\d.]+) s of CPU\)$/gm);
  return Object.fromEntries(
    lines.map(([, group = "", seconds, cpuSeconds]) => [
      group,
      { seconds: Number(seconds), cpuSeconds: Number(cpuSeconds) },
    ]),
  );
}

/** The table of the slowest groups, for CONTRIBUTING.md. */
export function slowestTable(times: Times, count = 10): string {
  const slowest = Object.entries(times)
    .toSorted(([, a], [, b]) => b.seconds - a.seconds)
    .slice(0, count);
  const rows = slowest.map(
    ([group, { seconds, cpuSeconds }]) => `| \`${group}\` | ${Math.round(seconds)} | ${Math.round(cpuSeconds)} |`,
  );
  return ["| Test file | Seconds | CPU seconds |", "| --- | --- | --- |", ...rows].join("\n");
}

function write(file: string, times: Times): void {
  const entries = Object.entries(times)
    .map(
      ([group, { seconds, cpuSeconds }]) =>
        [group, { seconds: tenth(seconds), cpuSeconds: tenth(cpuSeconds) }] as const,
    )
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`);
}

function tenth(seconds: number): number {
  return Math.round(seconds * 10) / 10;
}
