/** Plays cases against a target and compares with recordings of kube-apiserver. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Recorded } from "./answer.ts";
import type { Case } from "./case.ts";
import { topics } from "./cases/index.ts";
import { firstDifference } from "./difference.ts";
import { play } from "./play.ts";
import type { Target } from "./target.ts";

/** The result of a case. */
export interface Verdict {
  readonly name: string;
  /** The first difference; `undefined` if the responses are equal. */
  readonly difference: string | undefined;
}

const folder = join(import.meta.dirname, "recorded");

/** The recorded responses of a topic. */
export function recordedAnswers(topic: string): { [name: string]: Recorded[] } {
  try {
    return JSON.parse(readFileSync(join(folder, `${topic}.json`), "utf8")) as { [name: string]: Recorded[] };
  } catch {
    return {};
  }
}

/** Plays every case that the filter accepts, in order. */
export async function* compareAll(
  target: Target,
  accepts: (name: string, one: Case) => boolean,
): AsyncGenerator<Verdict> {
  let number = 0;
  for (const { topic, cases } of topics) {
    const recorded = recordedAnswers(topic);
    for (const one of cases) {
      const name = `${topic}: ${one.name}`;
      if (!accepts(name, one)) continue;
      const actual = await play(target, `case-${++number}`, one);
      yield { name, difference: differenceOf(recorded[one.name], actual) };
    }
  }
}

/** The difference between expected and actual responses. */
export function differenceOf(
  expected: readonly Recorded[] | undefined,
  actual: readonly Recorded[],
): string | undefined {
  if (expected === undefined) return "    nothing recorded";
  const [left, right] = [toComparable(expected), toComparable(JSON.parse(JSON.stringify(actual)))];
  const [before, after] = [JSON.stringify(left, undefined, 1), JSON.stringify(right, undefined, 1)];
  if (before === after) return undefined;
  const found = firstDifference(left as Recorded[], right as Recorded[]);
  return found === "" ? orderDifference(before, after) : found;
}

/** The first difference in the order of fields. */
function orderDifference(expected: string, actual: string): string {
  const [left, right] = [expected.split("\n"), actual.split("\n")];
  const index = left.findIndex((line, at) => line !== right[at]);
  const shown = (lines: readonly string[]): string => lines.slice(Math.max(0, index - 2), index + 3).join(" ");
  return `    order of fields: expected ${shown(left)}, got ${shown(right)}`;
}

/**
 * Managed fields are ordered by the second of the write, which is not deterministic: within one group any order is accepted. Groups are
 * never mixed: Apply comes before Update, entries without a time before those with one.
 */
function toComparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toComparable);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => {
      const compared = toComparable(part);
      if (key !== "managedFields" || !Array.isArray(compared)) return [key, compared];
      const texts = compared.map((owner) => JSON.stringify(owner)).sort();
      return [key, { sorts: compared.map(sortOf), owners: texts }];
    }),
  );
}

function sortOf(owner: unknown): string {
  const { operation, time } = owner as { readonly operation?: string; readonly time?: string };
  return `${operation}${time === undefined ? " without time" : ""}`;
}
