/** Stretches of time: joined, cut and subtracted. */

/** A half-open interval. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** Sorted stretches; neighbours and overlaps are joined. */
export function join(stretches: readonly Stretch[]): Stretch[] {
  const joined: { start: number; end: number }[] = [];
  for (const { start, end } of stretches.filter((one) => one.end > one.start).toSorted((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else joined.push({ start, end });
  }
  return joined;
}

/** What a window has beside the stretches. */
export function complement(stretches: readonly Stretch[], { from, to }: { from: number; to: number }): Stretch[] {
  const rest: Stretch[] = [];
  let at = from;
  for (const { start, end } of join(stretches)) {
    if (start > at) rest.push({ start: at, end: Math.min(start, to) });
    at = Math.max(at, end);
    if (at >= to) break;
  }
  if (at < to) rest.push({ start: at, end: to });
  return rest.filter((one) => one.end > one.start);
}
