/** Versions of etcd. */

/** The minor number of `3.6.16` is 6. */
export function minorOf(version: string): number {
  return Number(version.split(".")[1] ?? 0);
}

/** Negative if the first is older. */
export function compareVersions(one: string, other: string): number {
  const [left, right] = [one, other].map((version) => version.split(".").map(Number));
  for (const at of [0, 1, 2]) {
    const difference = (left?.[at] ?? 0) - (right?.[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
