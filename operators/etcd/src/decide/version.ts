/** Versions of etcd: comparison, and the next version towards a target. */

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

export function lowest(versions: readonly string[]): string | undefined {
  return versions.toSorted(compareVersions)[0];
}

/** The next step towards a version. */
export type NextVersion =
  | { readonly go: string }
  /** No release of this intermediate minor version is known. */
  | { readonly stuck: number };

/** etcd goes up one minor version at a time, so the next version may be an intermediate one. */
export function nextVersion(from: string, to: string, patches: { readonly [minor: number]: string }): NextVersion {
  const next = minorOf(from) + 1;
  if (minorOf(to) <= next) return { go: to };
  const stop = patches[next];
  return stop === undefined ? { stuck: next } : { go: stop };
}
