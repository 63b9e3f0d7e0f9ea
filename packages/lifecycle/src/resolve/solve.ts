/** Solves the problem of a resolution: the most preferred candidates, or the smallest contradiction. */
import { smallestCore } from "./core.ts";
import { addConstraint, distinctConstraints, literalOf, type Applied, type Variable } from "./problem.ts";
import { SatSolver, type Literal } from "./sat/solver.ts";

/** The chosen variables in the order in which they were chosen, or the constraints that contradict each other. */
export type Solution =
  | { readonly type: "solved"; readonly chosen: readonly Variable[] }
  | { readonly type: "unsatisfiable"; readonly core: readonly Applied[] };

/**
 * Chooses the most preferred candidates: mandatory variables first, then for each dependency, in the order in which it
 * appeared, the first candidate with which all constraints can still hold. Nothing else is chosen.
 */
export function solve(variables: readonly Variable[]): Solution {
  const applied = distinctConstraints(variables);
  const solver = new SatSolver();
  const literals = new Map(variables.map((variable) => [variable, solver.addVariable()]));
  for (const one of applied) addConstraint(solver, { ...one, literals });
  const mandatory = variables.filter(({ constraints }) => constraints.some(({ type }) => type === "mandatory"));
  if (solver.solve().type === "unsatisfiable") return { type: "unsatisfiable", core: smallestCore(variables, applied) };
  return { type: "solved", chosen: choose(solver, { literals, mandatory }) };
}

interface Search {
  readonly literals: ReadonlyMap<Variable, Literal>;
  readonly mandatory: readonly Variable[];
}

/** Breadth first: the dependencies of a chosen variable wait until all earlier ones have their candidate. */
function choose(solver: SatSolver, { literals, mandatory }: Search): Variable[] {
  const chosen = new Set<Variable>();
  const assumptions: Literal[] = [];
  const choices: (readonly Variable[])[] = mandatory.map((variable) => [variable]);
  for (const candidates of choices) {
    if (candidates.some((one) => chosen.has(one))) continue;
    const next = candidates.find((one) => canChoose(solver, [...assumptions, literalOf(literals, one)]));
    if (next === undefined) continue;
    chosen.add(next);
    assumptions.push(literalOf(literals, next));
    for (const rule of next.constraints)
      if (rule.type === "dependency" && rule.candidates.length > 0) choices.push(rule.candidates);
  }
  return [...chosen];
}

/** The last model answers most questions. It exists: the formula was satisfiable before. */
function canChoose(solver: SatSolver, assumptions: readonly Literal[]): boolean {
  return (
    assumptions.every((literal) => solver.isTrueInModel(literal)) || solver.solve(assumptions).type === "satisfiable"
  );
}
