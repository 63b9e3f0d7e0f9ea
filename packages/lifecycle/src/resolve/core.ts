/** The smallest sets of constraints that already contradict each other. */
import { addConstraint, type Applied, type Variable } from "./problem.ts";
import { SatSolver, type Literal } from "./sat/solver.ts";

/** Cores above this size are found once; below it, several orders are tried for the smallest one. */
const manyOrders = 16;

/**
 * A set of constraints that no choice satisfies, from which none can be left out. Several orders of leaving out are
 * tried, and the smallest result counts; the order of the texts decides between equals.
 */
export function smallestCore(variables: readonly Variable[], applied: readonly Applied[]): Applied[] {
  const { solver, guards } = guarded(variables, applied);
  const byGuard = new Map(guards.map((guard, at) => [guard, applied[at]]));
  const first = coreOf(solver, guards);
  const text = (guard: Literal): string => byGuard.get(guard)?.constraint.message ?? "";
  const ordered = first.toSorted((a, b) => compare(text(a), text(b)));
  const orders = ordered.length > manyOrders ? [ordered] : rotations(ordered);
  const cores = orders.map((order) => reduce(solver, order));
  const [smallest = []] = cores.toSorted((a, b) => a.length - b.length);
  return smallest.toSorted((a, b) => compare(text(a), text(b))).flatMap((guard) => byGuard.get(guard) ?? []);
}

/** The same formula with a guard for each constraint, so that constraints can be switched off. */
function guarded(
  variables: readonly Variable[],
  applied: readonly Applied[],
): { solver: SatSolver; guards: Literal[] } {
  const solver = new SatSolver();
  const literals = new Map(variables.map((variable) => [variable, solver.addVariable()]));
  const guards = applied.map(() => solver.addVariable());
  for (const [at, one] of applied.entries()) {
    const guard = guards[at];
    if (guard !== undefined) addConstraint(solver, { ...one, literals, guard });
  }
  return { solver, guards };
}

function coreOf(solver: SatSolver, guards: readonly Literal[]): Literal[] {
  const verdict = solver.solve(guards);
  return verdict.type === "unsatisfiable" ? verdict.core : [...guards];
}

/** Leaves out each constraint, in order, without which the others still contradict each other. */
function reduce(solver: SatSolver, order: readonly Literal[]): Literal[] {
  let core = [...order];
  for (const guard of order) {
    if (!core.includes(guard)) continue;
    const verdict = solver.solve(core.filter((one) => one !== guard));
    if (verdict.type === "unsatisfiable") core = core.filter((one) => verdict.core.includes(one));
  }
  return core;
}

function rotations<Item>(items: readonly Item[]): Item[][] {
  const rotated = items.map((_, at) => [...items.slice(at), ...items.slice(0, at)]);
  return rotated.flatMap((order) => [order, order.toReversed()]);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
