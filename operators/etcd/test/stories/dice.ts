/** Reproducible randomness: the same seed and the same words give the same values. */
import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";

export interface Dice {
  /** The seed, for messages. */
  readonly seed: string;
  /** At least 0 and below 1. */
  readonly throw: () => number;
  between(least: number, most: number): number;
  /** Waits for a random number of seconds. */
  pause(least: number, most: number): Promise<void>;
  /** This many elements, in random order. */
  some<T>(all: readonly T[], count: number): readonly T[];
  one<T>(all: readonly T[]): T;
}

export function diceOf(...words: readonly (string | number)[]): Dice {
  const seed = words.join(" / ");
  let count = 0;
  const next = (): number => {
    const digest = createHash("sha256").update(`${seed} ${count++}`).digest();
    return digest.readUInt32BE(0) / 2 ** 32;
  };
  const some = <T>(all: readonly T[], desired: number): readonly T[] => {
    const weighed = all.map((item) => ({ item, weight: next() }));
    const mixed = weighed.toSorted((one, other) => one.weight - other.weight);
    return mixed.slice(0, desired).map(({ item }) => item);
  };
  const between = (least: number, most: number): number => least + (most - least) * next();
  return {
    seed,
    throw: next,
    between,
    pause: (least, most) => delay(between(least, most) * 1000),
    some,
    one: (all) => {
      const [chosen] = some(all, 1);
      if (chosen === undefined) throw new RangeError("there is nothing to choose from");
      return chosen;
    },
  };
}
