/** Measures how the time of a function grows with the size of its input. */

/** A function and the input of a size. */
export interface Growing<T> {
  readonly name: string;
  readonly size: number;
  readonly make: (size: number) => T;
  readonly run: (input: T) => unknown;
}

/** Times below this are noise. */
const LEAST_MICROS = 1000;
const REPEATS = 5;
const ATTEMPTS = 3;
/** A linear function takes 4 times as long for 4 times the input, a quadratic one 16 times. */
const MOST_GROWTH = 10;

/** The factor by which four times the input takes longer, in the best of some attempts; only more than 10 is significant. */
export function growthOf<T>({ size, make, run }: Growing<T>): number {
  const inputs = [size, 2 * size, 4 * size].map(make);
  let best = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS && best > MOST_GROWTH; attempt++) {
    const [small = 0, , large = 0] = inputs.map((input) => leastMicros(() => run(input)));
    best = Math.min(best, large / Math.max(small, LEAST_MICROS));
  }
  return best;
}

function leastMicros(run: () => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, user + system);
  }
  return least;
}
