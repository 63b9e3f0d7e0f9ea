/** CEL expressions over `object`: levels, conditions and dimensions of Kubernetes objects. */
import {
  CelError,
  CelUint,
  DYN,
  createEnv,
  fromJson,
  kubernetesOptions,
  type CelValue,
  type Expression,
  type Json,
} from "@capstan/cel";
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

/** The value as text, number text or boolean text; an error says why there is none. */
export function evaluateText(
  source: string,
  object: CelValue,
): { readonly value: string } | { readonly error: string } {
  const result = compileExpression(source).evaluate(new Map([["object", object]]), { costLimit: 10_000_000 });
  if (result instanceof CelError) return { error: result.message };
  if (result instanceof CelUint) return { value: String(result.value) };
  switch (typeof result) {
    case "string":
      return { value: result };
    case "bigint":
    case "number":
    case "boolean":
      return { value: String(result) };
    default:
      return { error: "the value is neither a number nor text" };
  }
}

/** An object as CEL reads it. */
export function toCelObject(object: Json): CelValue {
  const value = fromJson(object);
  return value instanceof CelError ? null : value;
}
