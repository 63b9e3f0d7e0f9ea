/** Compares the solver with all assignments of small problems, one by one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { randomOf } from "../../test/random-catalogs.ts";
import fc from "fast-check";
import type { Applied, Constraint, Rule, Variable } from "./problem.ts";
import { solve } from "./solve.ts";

type Chosen = ReadonlySet<Variable>;

function holds({ variable, constraint }: Applied, chosen: Chosen): boolean {
  const own = chosen.has(variable);
  switch (constraint.type) {
    case "mandatory":
      return own;
    case "prohibited":
      return !own;
    case "dependency":
      return !own || constraint.candidates.some((one) => chosen.has(one));
    case "conflict":
      return !own || !chosen.has(constraint.with);
    case "at-most-one":
      return constraint.of.filter((one) => chosen.has(one)).length < 2;
  }
}

function appliedOf(variables: readonly Variable[]): Applied[] {
  return variables.flatMap((variable) => variable.constraints.map((constraint) => ({ variable, constraint })));
}

/** All sets of variables that fulfil the constraints. */
function solutionsOf(variables: readonly Variable[], applied: readonly Applied[]): Chosen[] {
  const all = Array.from(
    { length: 2 ** variables.length },
    (_, bits) => new Set(variables.filter((_, at) => (bits >> at) & 1)),
  );
  return all.filter((chosen) => applied.every((one) => holds(one, chosen)));
}

/** The choice that the preferences demand, found by looking at all solutions. */
function preferred(variables: readonly Variable[], solutions: readonly Chosen[]): Variable[] {
  const chosen = new Set<Variable>();
  let left = solutions;
  const mandatory = variables.filter(({ constraints }) => constraints.some(({ type }) => type === "mandatory"));
  const choices: (readonly Variable[])[] = mandatory.map((one) => [one]);
  for (const candidates of choices) {
    if (candidates.some((one) => chosen.has(one))) continue;
    const next = candidates.find((one) => left.some((solution) => solution.has(one)));
    if (next === undefined) continue;
    chosen.add(next);
    left = left.filter((solution) => solution.has(next));
    for (const one of next.constraints)
      if (one.type === "dependency" && one.candidates.length > 0) choices.push(one.candidates);
  }
  return [...chosen];
}

function randomProblem(seed: number): Variable[] {
  const random = randomOf(seed);
  const variables = Array.from({ length: 2 + random(7) }, (_, at): Variable => ({ id: `v${at}`, constraints: [] }));
  const pick = (): Variable => variables[random(variables.length)] ?? { id: "none", constraints: [] };
  const some = (): Variable[] => [...new Set(Array.from({ length: random(4) }, pick))];
  const add = (variable: Variable, rule: Rule): void => {
    const text = `${variable.id} ${rule.type} ${variable.constraints.length}`;
    variable.constraints.push({ ...rule, message: text, explanation: text } satisfies Constraint);
  };
  for (const variable of variables) {
    if (random(4) === 0) add(variable, { type: "mandatory" });
    if (random(12) === 0) add(variable, { type: "prohibited" });
    for (let count = random(3); count > 0; count--) add(variable, { type: "dependency", candidates: some() });
    const other = pick();
    if (random(4) === 0 && other !== variable) add(variable, { type: "conflict", with: other });
    if (random(5) === 0) add(variable, { type: "at-most-one", of: some() });
  }
  return variables;
}

test("the solver finds the preferred solution, or an irreducible core", () => {
  let [solved, unsatisfiable] = [0, 0];
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const variables = randomProblem(seed);
      const solutions = solutionsOf(variables, appliedOf(variables));
      const solution = solve(variables);
      if (solution.type === "solved") {
        solved++;
        assert.deepEqual(solution.chosen, preferred(variables, solutions));
        assert.ok(solutions.some((one) => one.symmetricDifference(new Set(solution.chosen)).size === 0));
        return;
      }
      unsatisfiable++;
      assert.equal(solutions.length, 0);
      assert.equal(solutionsOf(variables, solution.core).length, 0, "the core has a solution");
      for (const one of solution.core)
        assert.notEqual(
          solutionsOf(
            variables,
            solution.core.filter((other) => other !== one),
          ).length,
          0,
          "not minimal",
        );
    }),
    { numRuns: 150 },
  );
  assert.ok(
    solved > 20 && unsatisfiable > 20,
    `${solved} solved and ${unsatisfiable} unsatisfiable problems test too little`,
  );
});
