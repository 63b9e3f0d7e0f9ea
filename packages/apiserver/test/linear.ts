/** Compares the cost of work with that of four times as much work. */

/** CPU time, so that other processes do not count; the minimum of several runs, so that garbage collection does not either. */
function costOf(work: () => unknown): number {
  let least = Infinity;
  for (let round = 0; round < 3; round++) {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, user + system);
  }
  return least;
}

/** Four times the length costs four times as much, sixteen times if quadratic. */
export const most: number = 9;
/** A cost below this is noise and harmless. */
export const negligible: number = 15_000;

export function isLinear(small: () => unknown, large: () => unknown): boolean {
  for (let attempt = 0; attempt < 4; attempt++) {
    const cost = costOf(large);
    if (cost < negligible || cost / costOf(small) < most) return true;
  }
  return false;
}
