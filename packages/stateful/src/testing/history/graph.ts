/** Directed graphs: strongly connected components and shortest paths. */
import type { Dependency } from "./history.ts";

/** Outgoing dependencies by transaction. */
export type Graph = ReadonlyMap<number, readonly Dependency[]>;

export function graphOf(dependencies: readonly Dependency[]): Graph {
  const graph = new Map<number, Dependency[]>();
  for (const dependency of dependencies) {
    const own = graph.get(dependency.from);
    if (own === undefined) graph.set(dependency.from, [dependency]);
    else own.push(dependency);
  }
  return graph;
}

interface Visit {
  readonly node: number;
  next: number;
}

/** Components with more than one node, by Tarjan's algorithm without recursion: histories are longer than a stack is deep. */
export function componentsOf(graph: Graph): readonly ReadonlySet<number>[] {
  const index = new Map<number, number>();
  const low = new Map<number, number>();
  const stack: number[] = [];
  const onStack = new Set<number>();
  const found: ReadonlySet<number>[] = [];
  const enter = (node: number): Visit => {
    index.set(node, index.size);
    low.set(node, index.get(node) ?? 0);
    stack.push(node);
    onStack.add(node);
    return { node, next: 0 };
  };
  const lower = (node: number, value: number | undefined): void =>
    void low.set(node, Math.min(low.get(node) ?? Infinity, value ?? Infinity));
  const leave = (node: number): void => {
    if (low.get(node) !== index.get(node)) return;
    const component = new Set(stack.splice(stack.lastIndexOf(node)));
    for (const member of component) onStack.delete(member);
    if (component.size > 1) found.push(component);
  };
  for (const root of graph.keys()) {
    if (index.has(root)) continue;
    const visits = [enter(root)];
    for (let visit = visits.at(-1); visit !== undefined; visit = visits.at(-1)) {
      const target = graph.get(visit.node)?.[visit.next++]?.to;
      if (target === undefined) {
        visits.pop();
        leave(visit.node);
        const parent = visits.at(-1);
        if (parent !== undefined) lower(parent.node, low.get(visit.node));
      } else if (!index.has(target)) visits.push(enter(target));
      else if (onStack.has(target)) lower(visit.node, index.get(target));
    }
  }
  return found;
}

/** The shortest path between two nodes inside a component, as dependencies. */
export function pathIn(
  graph: Graph,
  component: ReadonlySet<number>,
  { from, to }: Pick<Dependency, "from" | "to">,
): readonly Dependency[] | undefined {
  const reached = new Map<number, Dependency | undefined>([[from, undefined]]);
  const queue = [from];
  for (const node of queue) {
    if (node === to) return walkBack(reached, to);
    for (const dependency of graph.get(node) ?? []) {
      if (!component.has(dependency.to) || reached.has(dependency.to)) continue;
      reached.set(dependency.to, dependency);
      queue.push(dependency.to);
    }
  }
  return undefined;
}

function walkBack(reached: ReadonlyMap<number, Dependency | undefined>, to: number): readonly Dependency[] {
  const path: Dependency[] = [];
  for (let step = reached.get(to); step !== undefined; step = reached.get(step.from)) path.unshift(step);
  return path;
}
