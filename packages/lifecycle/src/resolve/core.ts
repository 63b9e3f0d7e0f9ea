/** The smallest sets of constraints that already contradict each other. */
import { addConstraint, type Applied, type Variable } from "./problem.ts";
import { SatSolver, type Literal } from "./sat/solver.ts";

/** Enough cores to compare; each further one costs time and is rarely smaller. */
const maxCores = 24;

/**
 * A set of constraints that no choice satisfies, from which none can be left out. There can be several: the smallest of
 * those that are found counts, and the order of the texts decides between equals.
 */
export function smallestCore(variables: readonly Variable[], applied: readonly Applied[]): Applied[] {
  const { solver, guards } = guarded(variables, applied);
  const byGuard = new Map(guards.map((guard, at) => [guard, applied[at]]));
  const text = (guard: Literal): string => byGuard.get(guard)?.constraint.message ?? "";
  const byText = (core: readonly Literal[]): Literal[] => core.toSorted((a, b) => compare(text(a), text(b)));
  const [smallest = []] = coresOf(solver, guards, byText).toSorted(
    (a, b) => a.length - b.length || compare(a.map(text).join(), b.map(text).join()),
  );
  return smallest.flatMap((guard) => byGuard.get(guard) ?? []);
}

/** Cores by leaving out one constraint of a known core at a time: what is left may contradict itself elsewhere. */
function coresOf(
  solver: SatSolver,
  guards: readonly Literal[],
  byText: (core: readonly Literal[]) => Literal[],
): Literal[][] {
  const cores = [byText(reduce(solver, byText(coreOf(solver, guards) ?? guards)))];
  const known = new Set(cores.map(String));
  for (const core of cores)
    for (const left of core) {
      if (cores.length >= maxCores) return cores;
      const other = coreOf(
        solver,
        guards.filter((guard) => guard !== left),
      );
      const reduced = other && byText(reduce(solver, byText(other)));
      if (reduced === undefined || known.has(String(reduced))) continue;
      known.add(String(reduced));
      cores.push(reduced);
    }
  return cores;
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

function coreOf(solver: SatSolver, guards: readonly Literal[]): Literal[] | undefined {
  const verdict = solver.solve(guards);
  return verdict.type === "unsatisfiable" ? verdict.core : undefined;
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

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
