/** Plays cases to a target and compares with what a real server answered. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Recorded } from "./answer.ts";
import { topics } from "./cases/index.ts";
import { firstDifference } from "./difference.ts";
import { play } from "./play.ts";
import type { Target } from "./target.ts";

/** What came of a case. */
export interface Verdict {
  readonly name: string;
  /** Where the answers part; `undefined` when they do not. */
  readonly difference: string | undefined;
}

const folder = join(import.meta.dirname, "recorded");

/** What a real server answered to the cases of a topic. */
export function recordedAnswers(topic: string): { [name: string]: Recorded[] } {
  try {
    return JSON.parse(readFileSync(join(folder, `${topic}.json`), "utf8")) as { [name: string]: Recorded[] };
  } catch {
    return {};
  }
}

/** Plays every case whose name the filter accepts, one after another. */
export async function* compareAll(target: Target, accepts: (name: string) => boolean): AsyncGenerator<Verdict> {
  let number = 0;
  for (const { topic, cases } of topics) {
    const recorded = recordedAnswers(topic);
    for (const one of cases) {
      const name = `${topic}: ${one.name}`;
      if (!accepts(name)) continue;
      const actual = await play(target, `case-${++number}`, one);
      yield { name, difference: differenceOf(recorded[one.name], actual) };
    }
  }
}

/** Where answers part from what was expected. */
export function differenceOf(
  expected: readonly Recorded[] | undefined,
  actual: readonly Recorded[],
): string | undefined {
  if (expected === undefined) return "    nothing recorded";
  const plain = JSON.parse(JSON.stringify(actual)) as Recorded[];
  if (isDeepStrictEqual(plain, expected)) return undefined;
  const [left, right] = [sortOwners(expected), sortOwners(plain)] as [Recorded[], Recorded[]];
  return isDeepStrictEqual(left, right) ? undefined : firstDifference(left, right);
}

/** Owners of fields are in the order of the seconds in which they wrote, and nobody knows where a second ends. */
function sortOwners(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortOwners);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => {
      const sorted = sortOwners(part);
      if (key !== "managedFields" || !Array.isArray(sorted)) return [key, sorted];
      return [key, sorted.map((owner) => JSON.stringify(owner)).sort()];
    }),
  );
}
