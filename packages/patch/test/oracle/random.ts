/** Random values from a seed: the same inputs can be generated again. */
import type { Json } from "@capstan/model";

/** A source of random choices. */
export interface Random {
  readonly below: (limit: number) => number;
  readonly chance: (probability: number) => boolean;
  readonly pick: <T>(values: readonly T[]) => T;
}

/** A small generator (mulberry32) that is good enough to vary tests. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    chance: (probability) => next() < probability,
    pick: (values) => values[below(values.length)] as (typeof values)[number],
  };
}

const keys = ["a", "b", "c", "d/e", "f~g", "0", "1"];
const leaves: readonly Json[] = ["x", "y", "", 0, 1, 2.5, true, false, null, "<&>", "ü"];

/** Any JSON value, not too deep. */
export function randomJson(random: Random, depth = 3): Json {
  if (depth <= 0 || random.chance(0.4)) return random.pick(leaves);
  if (random.chance(0.4)) return Array.from({ length: random.below(4) }, () => randomJson(random, depth - 1));
  return randomObject(random, depth - 1);
}

/** Any JSON object. */
export function randomObject(random: Random, depth = 3): { [key: string]: Json } {
  const object: { [key: string]: Json } = {};
  for (const key of keys) if (random.chance(0.4)) object[key] = randomJson(random, depth);
  return object;
}

/** A value that resembles another: parts are changed, dropped or added. */
export function mutate(random: Random, value: Json, depth = 3): Json {
  if (random.chance(0.15)) return randomJson(random, depth);
  if (Array.isArray(value)) {
    const items = (value as readonly Json[])
      .filter(() => random.chance(0.85))
      .map((item) => mutate(random, item, depth - 1));
    return random.chance(0.3) ? [...items, randomJson(random, 1)] : items;
  }
  if (typeof value !== "object" || value === null) return random.chance(0.7) ? value : random.pick(leaves);
  const copy: { [key: string]: Json } = {};
  for (const [key, field] of Object.entries(value)) {
    if (field !== undefined && random.chance(0.85)) copy[key] = mutate(random, field, depth - 1);
  }
  if (random.chance(0.3)) copy[random.pick(keys)] = randomJson(random, 1);
  return copy;
}
