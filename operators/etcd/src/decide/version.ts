/** Versions of etcd: how they compare, and the next one on the way to another. */

/** The minor number of `3.6.16` is 6. */
export function minorOf(version: string): number {
  return Number(version.split(".")[1] ?? 0);
}

/** Negative when the first is older. */
export function compareVersions(one: string, other: string): number {
  const [left, right] = [one, other].map((version) => version.split(".").map(Number));
  for (const at of [0, 1, 2]) {
    const difference = (left?.[at] ?? 0) - (right?.[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The oldest of some versions. */
export function lowest(versions: readonly string[]): string | undefined {
  return versions.toSorted(compareVersions)[0];
}

/** How to get on from one version to another. */
export type NextVersion =
  | { readonly go: string }
  /** The step in between is not known. */
  | { readonly stuck: number };

/** etcd goes up one minor version at a time, so the next stop may be in between. */
export function nextVersion(from: string, to: string, patches: { readonly [minor: number]: string }): NextVersion {
  const next = minorOf(from) + 1;
  if (minorOf(to) <= next) return { go: to };
  const stop = patches[next];
  return stop === undefined ? { stuck: next } : { go: stop };
}
