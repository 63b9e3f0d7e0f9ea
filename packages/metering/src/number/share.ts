/** Divides integers: among weights so that the parts add up, and over time so that any cut is exact. */
import { divideFloor } from "./decimal.ts";
import { compareKeys } from "./order.ts";

/** One receiver of a share: ties go to the smaller key. */
export interface Weighted {
  readonly key: readonly string[];
  readonly weight: bigint;
}

/** Divides a total by weights: floors first, then one each to the largest remainders. Without weight nothing is divided. */
export function share(total: bigint, receivers: readonly Weighted[]): bigint[] {
  const whole = receivers.reduce((sum, { weight }) => sum + weight, 0n);
  if (whole === 0n) return receivers.map(() => 0n);
  if (total < 0n) return share(-total, receivers).map((part) => -part);
  const parts = receivers.map(({ weight }) => divideFloor(total * weight, whole));
  let left = total - parts.reduce((sum, part) => sum + part, 0n);
  if (left === 0n) return parts;
  const order = receivers.map(({ key, weight }, at) => ({ at, key, rest: total * weight - (parts[at] ?? 0n) * whole }));
  order.sort((a, b) => (a.rest === b.rest ? compareKeys(a.key, b.key) : a.rest > b.rest ? -1 : 1));
  for (const { at } of order) {
    if (left === 0n) break;
    parts[at] = (parts[at] ?? 0n) + 1n;
    left -= 1n;
  }
  return parts;
}

/** A total that is laid evenly over an interval of milliseconds. */
export interface Spread {
  readonly total: bigint;
  readonly start: number;
  readonly end: number;
}

/** The part of a total that falls into `[from, to)`. */
export function spread({ total, start, end }: Spread, from: number, to: number): bigint {
  const length = BigInt(end - start);
  const before = (instant: number): bigint =>
    divideFloor(total * BigInt(Math.min(Math.max(instant, start), end) - start), length);
  return before(to) - before(from);
}
