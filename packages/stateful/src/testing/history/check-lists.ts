/**
 * Checks a history of appends and reads for anomalies, after Elle (Kingsbury, Alvaro 2020): the order of versions comes from the longest
 * read, dependencies from the versions, and every cycle of dependencies is an anomaly.
 */
import { dependenciesOf } from "./dependencies.ts";
import { componentsOf, graphOf, pathIn } from "./graph.ts";
import type { Anomaly, CycleType, Dependency, DependencyType, Transaction } from "./history.ts";
import { versionsOf } from "./versions.ts";

/** A class of cycles: a dependency that must occur, and those that may lead back from it. */
interface CycleClass {
  readonly type: CycleType;
  readonly first: DependencyType;
  readonly back: readonly DependencyType[];
}

/** The worst first. */
const CLASSES: readonly CycleClass[] = [
  { type: "G0", first: "ww", back: ["ww"] },
  { type: "G1c", first: "wr", back: ["ww", "wr"] },
  { type: "G-single", first: "rw", back: ["ww", "wr"] },
  { type: "G2", first: "rw", back: ["ww", "wr", "rw"] },
];

/**
 * The anomalies of a history: none if a strictly serializable database can have made it, as far as appends and reads show. Of each class
 * of cycles it reports one for each strongly connected component.
 *
 * @example
 * const history: readonly Transaction[] = [
 *   { began: 0, ended: 1, outcome: "committed", operations: [{ do: "append", key: "x", value: 1 }] },
 *   { began: 2, ended: 3, outcome: "committed", operations: [{ do: "read", key: "x", values: [] }] },
 * ];
 * assert.deepEqual(checkLists(history).map(({ type }) => type), ["G-single-realtime"]);
 */
export function checkLists(history: readonly Transaction[]): readonly Anomaly[] {
  const versions = versionsOf(history);
  // Orders that contradict each other give no dependencies that mean anything.
  const isOrdered = versions.anomalies.every(
    ({ type }) => type !== "incompatible-order" && type !== "duplicate-append",
  );
  return isOrdered ? [...versions.anomalies, ...cyclesOf(dependenciesOf(history, versions))] : versions.anomalies;
}

function cyclesOf(all: readonly Dependency[]): readonly Anomaly[] {
  const plain = all.filter(({ type }) => type !== "rt");
  const found = findCycles(plain, { isRealTime: false, known: [] });
  return [...found, ...findCycles(all, { isRealTime: true, known: found })];
}

interface Search {
  readonly isRealTime: boolean;
  /** Components with a cycle that was reported are not reported again. */
  readonly known: readonly Anomaly[];
}

function findCycles(dependencies: readonly Dependency[], { isRealTime, known }: Search): readonly Anomaly[] {
  const found: Anomaly[] = [];
  for (const { type, first, back } of CLASSES) {
    const allowed: readonly DependencyType[] = isRealTime ? [...back, "rt"] : back;
    const way = dependencies.filter((one) => allowed.includes(one.type));
    const starts = dependencies.filter((one) => one.type === first);
    const wayBack = graphOf(way);
    for (const component of componentsOf(graphOf([...way, ...starts]))) {
      if ([...known, ...found].some(({ transactions }) => transactions.some((at) => component.has(at)))) continue;
      const cycle = firstCycle(starts, { component, wayBack });
      if (cycle !== undefined) found.push(describe(isRealTime ? `${type}-realtime` : type, cycle));
    }
  }
  return found;
}

function firstCycle(
  starts: readonly Dependency[],
  { component, wayBack }: { readonly component: ReadonlySet<number>; readonly wayBack: ReturnType<typeof graphOf> },
): readonly Dependency[] | undefined {
  for (const start of starts) {
    if (!component.has(start.from) || !component.has(start.to)) continue;
    const path = pathIn(wayBack, component, { from: start.to, to: start.from });
    if (path !== undefined) return [start, ...path];
  }
  return undefined;
}

function describe(type: Anomaly["type"], cycle: readonly Dependency[]): Anomaly {
  const steps = cycle.map(({ from, type: how }) => `${from} -${how}->`);
  return { type, message: `${steps.join(" ")} ${cycle[0]?.from}`, transactions: cycle.map(({ from }) => from) };
}
