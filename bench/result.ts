/** Results of a benchmark: rows of figures, one for each contender, stored as JSON so that the page and the plots can be rendered again. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { dirname } from "node:path";

/** One measured quantity, with the figures of each contender in each round. */
export interface Row {
  readonly suite: string;
  readonly name: string;
  readonly unit: string;
  readonly figures: { readonly [contender: string]: readonly number[] };
}

/** The growth of a figure with the number of objects. */
export interface Growth {
  readonly name: string;
  readonly unit: string;
  readonly points: { readonly [contender: string]: readonly (readonly [objects: number, figure: number])[] };
}

/** The result of a suite. */
export interface Found {
  readonly rows: readonly Row[];
  readonly growth?: readonly Growth[];
}

/** All stored results. */
export interface Results {
  readonly machine: { readonly [fact: string]: string };
  /** Suites that ran while the machine was overloaded: their times mean little. */
  readonly busy?: readonly string[];
  /** The commit of each suite's last run, as suites may run separately. */
  readonly commits?: { readonly [suite: string]: string };
  readonly rows: readonly Row[];
  readonly growth: readonly Growth[];
}

/** The file with the results, in the repository: the page is rendered from it. */
export const resultsFile = "docs/performance/results.json";

/** The middle figure, or the lower one of the two. */
export function median(figures: readonly number[]): number {
  const sorted = [...figures].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
}

/** The smallest figure that is not below a share of all. */
export function quantile(figures: readonly number[], share: number): number {
  const sorted = [...figures].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

/** The stored results; empty before the first run. */
export function readResults(): Results {
  if (!existsSync(resultsFile)) return { machine: {}, rows: [], growth: [] };
  return JSON.parse(readFileSync(resultsFile, "utf8")) as Results;
}

/** Replaces the stored results of a suite. */
export function keepResults(suite: string, { rows, growth = [] }: Found): Results {
  const known = readResults();
  const names = new Set(growth.map(({ name }) => name));
  const machine = describeMachine();
  const results: Results = {
    machine,
    commits: { ...known.commits, [suite]: machine["commit"] ?? "" },
    busy: [...new Set([...(known.busy ?? []).filter((name) => name !== suite), ...(isBusy() ? [suite] : [])])],
    rows: [...known.rows.filter((row) => row.suite !== suite), ...rows],
    growth: [...known.growth.filter(({ name }) => !names.has(name)), ...growth],
  };
  mkdirSync(dirname(resultsFile), { recursive: true });
  writeFileSync(resultsFile, `${JSON.stringify(results, rounded, 2)}\n`);
  return results;
}

function rounded(_: string, value: unknown): unknown {
  return typeof value === "number" ? Number(value.toPrecision(5)) : value;
}

/** A suite keeps one processor busy by itself, and the server another. */
function isBusy(): boolean {
  return (loadavg()[1] ?? 0) > cpus().length + 2;
}

function describeMachine(): Results["machine"] {
  const [first] = cpus();
  return {
    processor: `${cpus().length} x ${first?.model ?? "unknown"}`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    node: process.version,
    commit: execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim(),
    day: new Date().toISOString().slice(0, 10),
  };
}

/** Gathers figures round by round. */
export class Figures {
  readonly #suite: string;
  readonly #rows = new Map<string, { unit: string; figures: Map<string, number[]> }>();

  constructor(suite: string) {
    this.#suite = suite;
  }

  add(contender: string, name: string, unit: string, figure: number): void {
    const row = this.#rows.get(name) ?? { unit, figures: new Map<string, number[]>() };
    this.#rows.set(name, row);
    row.figures.set(contender, [...(row.figures.get(contender) ?? []), figure]);
    console.log(`${contender.padEnd(24)} ${name.padEnd(44)} ${figure.toPrecision(4).padStart(10)} ${unit}`);
  }

  rows(): Row[] {
    return [...this.#rows].map(([name, { unit, figures }]) => ({
      suite: this.#suite,
      name,
      unit,
      figures: Object.fromEntries(figures),
    }));
  }
}
