/** CEL expressions that are compiled once and evaluated within a cost budget. */
import {
  billOf,
  BOOL,
  CelError,
  sameType,
  type Activation,
  type CelValue,
  type Env,
  type Expression,
  type Type,
} from "@capstan/cel";

/** The cost limit of one expression, and of all match conditions of one webhook together. */
export const perCallLimit = 1_000_000;
export const matchConditionBudget = 2_500_000;
/** The cost limit of all expressions of one policy binding. */
export const policyBudget = 10_000_000;

/** An expression, or its compile error. */
export interface Compiled {
  readonly source: string;
  readonly expression: Expression | undefined;
  readonly problem: string;
}

/** Caches compiled expressions: configurations are read for every request and rarely change. */
export function expressionCache(env: () => Env, limit = 1000): (source: string, wanted?: readonly Type[]) => Compiled {
  const known = new Map<string, Compiled>();
  return (source, wanted = [BOOL]) => {
    const key = `${wanted.map(String).join(",")}\n${source}`;
    let found = known.get(key);
    if (found === undefined) {
      if (known.size >= limit) known.clear();
      known.set(key, (found = compile(env(), source, wanted)));
    }
    return found;
  };
}

/** Compiles an expression of one of these types; an empty list allows any type. */
export function compile(env: Env, source: string, wanted: readonly Type[]): Compiled {
  const result = env.compile(source);
  if (!result.ok) return { source, expression: undefined, problem: `compilation failed: ${result.message}` };
  const { outputType } = result.expression;
  if (wanted.length === 0 || wanted.some((type) => sameType(type, outputType))) {
    return { source, expression: result.expression, problem: "" };
  }
  const problem =
    wanted.length === 1
      ? `must evaluate to ${String(wanted[0])} but got ${String(outputType)}`
      : `must evaluate to one of [${wanted.map(String).join(" ")}] but got ${String(outputType)}`;
  return { source, expression: undefined, problem };
}

/** The remaining cost budget. */
export interface Budget {
  remaining: number;
}

/** A value or an error. */
export type Evaluated =
  | { readonly type: "value"; readonly value: CelValue }
  | { readonly type: "error"; readonly message: string };

/** The budget is exhausted; evaluation stops. */
export class BudgetExceededError extends Error {
  override readonly name = "BudgetExceededError";
  readonly code = "BudgetExceeded";

  constructor() {
    super("validation failed due to running out of cost budget, no further validation rules will be run");
  }
}

export function evaluate(compiled: Compiled, variables: Activation, budget: Budget): Evaluated {
  if (compiled.expression === undefined) {
    return { type: "error", message: `compilation error: ${compiled.problem}` };
  }
  const evaluation = compiled.expression.evaluateWithCost(variables, { costLimit: perCallLimit });
  const { result } = evaluation;
  const cost = billOf(evaluation);
  if (cost > budget.remaining) throw new BudgetExceededError();
  budget.remaining -= cost;
  if (!(result instanceof CelError)) return { type: "value", value: result };
  return { type: "error", message: `expression '${compiled.source}' resulted in error: ${result.message}` };
}
