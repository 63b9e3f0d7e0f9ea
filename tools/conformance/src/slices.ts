/** Divides all tests into slices of similar duration, each for its own cluster. Pure. */

/** Tests that share a cluster. */
export interface Slice {
  /** How many nodes the cluster has. */
  readonly nodes: number;
  readonly names: readonly string[];
}

/** What is known about a test before it runs. */
export interface Planned {
  readonly name: string;
  readonly nodes: number;
  /** How long it took the last time. */
  readonly seconds: number;
}

/** How long a slice takes with so many tests at once: those that must run alone, and the longest, count whole. */
export function timeOf(tests: readonly Planned[], processes: number): number {
  const alone = tests.filter(({ name }) => name.includes("[Serial]"));
  const others = tests.filter((test) => !alone.includes(test));
  const sum = (some: readonly Planned[]): number => some.reduce((total, { seconds }) => total + seconds, 0);
  return sum(alone) + Math.max(sum(others) / processes, ...others.map(({ seconds }) => seconds), 0);
}

/** Slices for so many clusters, the longest first; every test goes where it adds the least. */
export function toSlices(tests: readonly Planned[], count: number, processes: number): readonly Slice[] {
  const byNodes = Map.groupBy(tests, ({ nodes }) => nodes);
  const slices = [...byNodes].flatMap(([nodes, some]) =>
    distribute(some, Math.min(count, some.length), processes).map((names) => ({ nodes, names })),
  );
  const length = ({ names }: { readonly names: readonly Planned[] }): number => timeOf(names, processes);
  return slices
    .toSorted((a, b) => length(b) - length(a))
    .map(({ nodes, names }) => ({ nodes, names: names.map(({ name }) => name) }));
}

function distribute(tests: readonly Planned[], count: number, processes: number): readonly (readonly Planned[])[] {
  const slices = Array.from({ length: count }, (): Planned[] => []);
  for (const test of tests.toSorted((a, b) => b.seconds - a.seconds)) {
    const shortest = slices.reduce((best, slice) =>
      timeOf([...slice, test], processes) < timeOf([...best, test], processes) ? slice : best,
    );
    shortest.push(test);
  }
  return slices.filter((slice) => slice.length > 0);
}
