/** The level and the dimensions of an object for a meter: by expressions of the book, or by the rules of Kubernetes. */
import type { Meter } from "../book/book.ts";
import { evaluateText, toCelObject } from "../book/expression.ts";
import { parseAmount } from "../number/decimal.ts";
import { canonicalDimensions } from "../record/parse-record.ts";
import { builtInLevel } from "./built-in-level.ts";
import type { SeenObject } from "./line.ts";

/** What an object counts for. */
export interface Level {
  readonly amount: bigint;
  /** Canonical JSON. */
  readonly dimensions: string;
  /** Why the level is 0 although it should not be. */
  readonly warning?: string;
}

/** The level of an object. */
export function levelOf(meter: Meter, object: SeenObject, hash: (value: string) => string): Level {
  const level = meter.builtIn === true ? builtIn(meter, object) : byExpression(meter, object);
  const pairs = level.pairs.map(([name, value]) => [name, meter.hash.includes(name) ? hash(value) : value] as const);
  return {
    amount: level.amount,
    dimensions: canonicalDimensions(pairs),
    ...(level.warning !== undefined && { warning: level.warning }),
  };
}

interface RawLevel {
  readonly amount: bigint;
  readonly pairs: readonly (readonly [string, string])[];
  readonly warning?: string;
}

function builtIn(meter: Meter, object: SeenObject): RawLevel {
  const found = builtInLevel(meter.name, object);
  return { amount: found?.amount ?? 0n, pairs: Object.entries(found?.dimensions ?? {}) };
}

function byExpression({ objects }: Meter, object: SeenObject): RawLevel {
  if (objects === undefined) return { amount: 0n, pairs: [] };
  // A journal line is JSON.
  const cel = toCelObject(object as unknown as Parameters<typeof toCelObject>[0]);
  const pairs = Object.entries(objects.dimensions).map(([name, source]) => {
    const found = evaluateText(source, cel);
    return [name, "value" in found ? found.value : ""] as const;
  });
  if (objects.when !== undefined) {
    const when = evaluateText(objects.when, cel);
    if ("error" in when) return { amount: 0n, pairs, warning: `when: ${when.error}` };
    if (when.value !== "true") return { amount: 0n, pairs };
  }
  const found = evaluateText(objects.value, cel);
  if ("error" in found) return { amount: 0n, pairs, warning: `value: ${found.error}` };
  const amount = parseAmount(found.value);
  if (amount === undefined || amount < 0n)
    return { amount: 0n, pairs, warning: `value: ${JSON.stringify(found.value)} is not a level` };
  return { amount, pairs };
}
