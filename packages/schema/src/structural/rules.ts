/** Compiles the rules of x-kubernetes-validations of one place in a schema. */
import type { CompileFailure, DeclType, Env, Expression } from "@capstan/cel";
import {
  assignTypeNames,
  BOOL,
  createEnv,
  ruleSizes,
  declTypeProvider,
  withKeywordFields,
  kubernetesOptions,
  optionalOf,
  sameType,
  STRING,
} from "@capstan/cel";

import { parseRulePath } from "./rule-path.ts";
import { maxRequestBytes } from "./rule-types.ts";
import type { Schema, ValidationRule } from "./schema.ts";

/** A compiled rule: ready, or with its errors. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  readonly expression?: Expression;
  readonly problem?: string;
  readonly usesOldSelf: boolean;
  /** The limit for the cost of one evaluation. */
  readonly maxCost: bigint;
  readonly message?: Expression;
  readonly messageProblem?: string;
  readonly messageMaxCost: bigint;
  /** The path for errors, below the place of the rule. */
  readonly fieldPath?: string;
}

let kubernetes: Env | undefined;

function baseEnv(): Env {
  kubernetes ??= createEnv(kubernetesOptions());
  return kubernetes;
}

/** Compiles every rule of a schema against its type. */
export function compileRules(schema: Schema, decl: DeclType): readonly CompiledRule[] {
  const named = assignTypeNames(decl, "selfType");
  const types = [withKeywordFields(declTypeProvider(named))];
  const plain = baseEnv().extend({ variables: { self: named.type, oldSelf: named.type }, types });
  let optional: Env | undefined;
  const optionalEnv = (): Env => {
    optional ??= baseEnv().extend({ variables: { self: named.type, oldSelf: optionalOf(named.type) }, types });
    return optional;
  };
  return (schema.validations ?? []).map((rule) =>
    compileRule(rule, { schema, decl: named, env: rule.optionalOldSelf === true ? optionalEnv() : plain }),
  );
}

interface Context {
  readonly schema: Schema;
  readonly decl: DeclType;
  readonly env: Env;
}

const nothing = { usesOldSelf: false, maxCost: 0n, messageMaxCost: 0n };

function compileRule(rule: ValidationRule, { schema, decl, env }: Context): CompiledRule {
  if (rule.rule.trim() === "") return { rule, ...nothing };
  const compiled = env.compile(rule.rule);
  if (!compiled.ok && compiled.phase !== "program")
    return { rule, ...nothing, problem: `compilation failed: ${compiled.message}` };
  const outputType = compiled.ok ? compiled.expression.outputType : compiled.outputType;
  if (outputType === undefined || !sameType(outputType, BOOL))
    return { rule, ...nothing, problem: "cel expression must evaluate to a bool" };
  if (!compiled.ok) return { rule, ...nothing, problem: instantiation(compiled) };
  const { expression } = compiled;
  const path = rule.fieldPath === "" ? undefined : parseRulePath(rule.fieldPath, schema);
  return {
    rule,
    expression,
    usesOldSelf: mentionsOldSelf(expression.node),
    maxCost: expression.estimateCost(ruleSizes(decl)).max,
    ...compileMessage(rule.messageExpression, { schema, decl, env }),
    ...(path !== undefined && "path" in path ? { fieldPath: path.path } : {}),
  };
}

function instantiation(failure: CompileFailure): string {
  return `program instantiation failed: ${failure.issues.map(({ message }) => message).join("\n")}`;
}

function compileMessage(
  source: string,
  { decl, env }: Context,
): Pick<CompiledRule, "message" | "messageProblem" | "messageMaxCost"> {
  if (source === "") return { messageMaxCost: 0n };
  const compiled = env.compile(source);
  if (!compiled.ok && compiled.phase !== "program")
    return { messageMaxCost: 0n, messageProblem: `messageExpression compilation failed: ${compiled.message}` };
  const outputType = compiled.ok ? compiled.expression.outputType : compiled.outputType;
  if (outputType === undefined || !sameType(outputType, STRING))
    return { messageMaxCost: 0n, messageProblem: "messageExpression must evaluate to a string" };
  if (!compiled.ok)
    return { messageMaxCost: 0n, messageProblem: `messageExpression instantiation failed: ${compiled.message}` };
  const { expression } = compiled;
  return { message: expression, messageMaxCost: expression.estimateCost(ruleSizes(decl)).max };
}

/** Whether a tree refers to the variable `oldSelf`. */
function mentionsOldSelf(node: unknown): boolean {
  if (typeof node !== "object" || node === null) return false;
  if ("kind" in node && node.kind === "ident" && "name" in node && node.name === "oldSelf") return true;
  return Object.values(node).some((value) => typeof value === "object" && mentionsOldSelf(value));
}

/** How many values of a type fit into one request. */
export function maxCardinality(decl: DeclType): bigint {
  return BigInt(Math.floor(maxRequestBytes / (decl.minSerializedSize + 1)));
}
