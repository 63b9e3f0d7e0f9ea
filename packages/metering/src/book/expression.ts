/** CEL expressions over `object`: levels, conditions and dimensions of Kubernetes objects. */
import { DYN, createEnv, kubernetesOptions, type Expression } from "@capstan/cel";
import { MeterError } from "../error.ts";

type Environment = ReturnType<typeof createEnv>;
let environment: Environment | undefined;
const compiled = new Map<string, Expression>();

/** Compiles an expression over `object`. */
export function compileExpression(source: string): Expression {
  const known = compiled.get(source);
  if (known !== undefined) return known;
  environment ??= createEnv({ ...kubernetesOptions(), variables: { object: DYN } });
  const result = environment.compile(source);
  if (!result.ok) throw new MeterError("BadBook", result.message);
  compiled.set(source, result.expression);
  return result.expression;
}
