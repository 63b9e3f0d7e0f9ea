/** The recorded answers of the original manager: in files, where each snapshot holds only what differs from the one before it. */
import { readFileSync, writeFileSync } from "node:fs";
import type { Json } from "@capstan/model";
import type { Answer, Snapshot } from "./scenario.ts";

/** The answers of a file by scenario. */
export type Answers = { readonly [scenario: string]: Answer };

/** What changed; null for what is gone. */
interface Changes {
  readonly [key: string]: Json;
}

function fileOf(name: string): URL {
  return new URL(`recorded/${name}.json`, import.meta.url);
}

/** Reads a file. */
export function readAnswers(name: string): Answers {
  const stored = JSON.parse(readFileSync(fileOf(name), "utf8")) as { readonly [scenario: string]: readonly Changes[] };
  return Object.fromEntries(Object.entries(stored).map(([scenario, changes]) => [scenario, toAnswer(changes)]));
}

function toAnswer(changes: readonly Changes[]): Answer {
  const snapshots: Snapshot[] = [];
  for (const each of changes) {
    const all = { ...snapshots.at(-1), ...each };
    snapshots.push(Object.fromEntries(Object.entries(all).filter(([, object]) => object !== null)));
  }
  return snapshots;
}

/** Writes a file: one line for each object. */
export function writeAnswers(name: string, answers: Answers): void {
  const scenarios = Object.entries(answers)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([scenario, answer]) => `${JSON.stringify(scenario)}: [\n${answer.map(format).join(",\n")}\n]`);
  writeFileSync(fileOf(name), `{\n${scenarios.join(",\n")}\n}\n`);

  function format(snapshot: Snapshot, at: number, all: Answer): string {
    const before = all[at - 1] ?? {};
    const keys = [...new Set([...Object.keys(before), ...Object.keys(snapshot)])].toSorted();
    const lines = keys
      .filter((key) => JSON.stringify(before[key]) !== JSON.stringify(snapshot[key]))
      .map((key) => `  ${JSON.stringify(key)}: ${JSON.stringify(snapshot[key] ?? null)}`);
    return lines.length === 0 ? " {}" : ` {\n${lines.join(",\n")}\n }`;
  }
}
