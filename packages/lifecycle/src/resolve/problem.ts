/** A resolution as a problem of choice: variables that are chosen or not, and the constraints between them. */
import { not, type SatSolver, type Literal } from "./sat/solver.ts";

/** A rule for the variable that has it. The candidates of a dependency are in order of preference. */
export type Rule =
  | { readonly type: "mandatory" }
  | { readonly type: "prohibited" }
  | { readonly type: "dependency"; readonly candidates: readonly Variable[] }
  | { readonly type: "conflict"; readonly with: Variable }
  | { readonly type: "at-most-one"; readonly of: readonly Variable[] };

/** A rule with its texts: that of the Operator Lifecycle Manager, and that for `why`. */
export type Constraint = Rule & { readonly message: string; readonly explanation: string };

/** Something to choose. Its constraints hold if it is chosen; a mandatory variable is always chosen. */
export interface Variable {
  readonly id: string;
  readonly constraints: Constraint[];
}

/** A constraint, and the variable that has it. */
export interface Applied {
  readonly variable: Variable;
  readonly constraint: Constraint;
}

/** What a constraint needs to become clauses. With a guard, it holds only where the guard is true. */
export interface Translation extends Applied {
  readonly literals: ReadonlyMap<Variable, Literal>;
  readonly guard?: Literal;
}

/** Teaches a constraint to the solver. */
export function addConstraint(solver: SatSolver, { variable, constraint, literals, guard }: Translation): void {
  const own = literalOf(literals, variable);
  const unguarded = guard === undefined ? [] : [not(guard)];
  switch (constraint.type) {
    case "mandatory":
      return solver.addClause([own, ...unguarded]);
    case "prohibited":
      return solver.addClause([not(own), ...unguarded]);
    case "dependency":
      return solver.addClause([
        ...unguarded,
        not(own),
        ...constraint.candidates.map((one) => literalOf(literals, one)),
      ]);
    case "conflict":
      return solver.addClause([...unguarded, not(own), not(literalOf(literals, constraint.with))]);
    case "at-most-one":
      return solver.addAtMostOne(
        constraint.of.map((one) => literalOf(literals, one)),
        guard,
      );
  }
}

/** The literal of a variable of the problem. */
export function literalOf(literals: ReadonlyMap<Variable, Literal>, variable: Variable): Literal {
  const literal = literals.get(variable);
  if (literal === undefined) throw new RangeError(`the variable ${variable.id} is not part of the problem`);
  return literal;
}

/** Constraints that mean the same count once, with the text of the last one, as in the original. */
export function distinctConstraints(variables: readonly Variable[]): Applied[] {
  const numbers = new Map(variables.map((variable, at) => [variable, at]));
  const found = new Map<string, Applied>();
  for (const variable of variables)
    for (const constraint of variable.constraints)
      found.set(meaningOf({ variable, constraint }, numbers), { variable, constraint });
  return [...found.values()];
}

function meaningOf({ variable, constraint }: Applied, numbers: ReadonlyMap<Variable, number>): string {
  const [own, number] = [numbers.get(variable) ?? -1, (one: Variable): number => numbers.get(one) ?? -1];
  const pair = (of: readonly number[]): string => `not both ${of.toSorted((a, b) => a - b).join(" ")}`;
  switch (constraint.type) {
    case "mandatory":
      return `${own}`;
    case "prohibited":
      return `not ${own}`;
    case "dependency":
      return constraint.candidates.length === 0
        ? `not ${own}`
        : `${own} needs ${[...new Set(constraint.candidates)].map(number).join(" ")}`;
    case "conflict":
      return pair([own, number(constraint.with)]);
    case "at-most-one":
      return constraint.of.length === 2
        ? pair(constraint.of.map(number))
        : `one of ${constraint.of.map(number).join(" ")}`;
  }
}
