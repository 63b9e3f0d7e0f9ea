/** The operator that a program exports. */
import type { Operator } from "@capstan/runtime";
import { CliError } from "../errors.ts";

/** The operator among the exports, by shape: the program may use another copy of the framework. */
export function operatorOf(exported: readonly unknown[], entry: string): Operator {
  const operators = [...new Set(exported.filter(isOperator))];
  const [operator] = operators;
  if (operator === undefined) {
    throw new CliError("BadInput", `${entry} exports no operator: write \`export const app = operator({ ... })\``);
  }
  if (operators.length > 1) throw new CliError("BadInput", `${entry} exports several operators: export one of them`);
  return operator;
}

function isOperator(value: unknown): value is Operator {
  return typeof value === "object" && value !== null && "definition" in value && "run" in value && "plan" in value;
}
