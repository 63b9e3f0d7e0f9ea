/** Expressions that are compiled once and evaluated within a budget. */
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

/** The most that one expression may cost, and all match conditions of one hook together. */
export const perCallLimit = 1_000_000;
export const matchConditionBudget = 2_500_000;
/** The most that all expressions of one binding of a policy may cost. */
export const policyBudget = 10_000_000;

/** An expression, or why it cannot be one. */
export interface Compiled {
  readonly source: string;
  readonly expression: Expression | undefined;
  readonly problem: string;
}

/** Remembers what was compiled: configurations are read for every request and seldom change. */
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

/** Compiles an expression that has to be of one of these types; no type is any type. */
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

/** What remains to be spent. */
export interface Budget {
  remaining: number;
}

/** A value, or what went wrong. */
export type Evaluated =
  | { readonly type: "value"; readonly value: CelValue }
  | { readonly type: "error"; readonly message: string };

/** The budget is used up: nothing more is evaluated. */
export class BudgetExceededError extends Error {
  override readonly name = "BudgetExceededError";
  readonly code = "BudgetExceeded";

  constructor() {
    super("validation failed due to running out of cost budget, no further validation rules will be run");
  }
}

/** Evaluates within the budget. */
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
