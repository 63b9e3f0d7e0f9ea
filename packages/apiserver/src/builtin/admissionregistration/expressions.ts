/** CEL expressions in webhooks and policies: they must compile in the environment in which they run. */
import {
  BOOL,
  DYN,
  listOf,
  MUTATION,
  NULL,
  objectType,
  STRING,
  type Env,
  type Type,
  type TypeProvider,
} from "@capstan/cel";
import type { MatchCondition, Variable } from "@capstan/kinds/admissionregistration.k8s.io/v1";
import { fieldErrors, type FieldError } from "@capstan/model";
import { compile } from "../../admit/expression/compiled.ts";
import { admissionEnv, messageEnv } from "../../admit/expression/variables.ts";
import { checkQualified, isEmpty } from "../meta/checks.ts";
import { occursBefore } from "../occurs-before.ts";

/** The environment of an expression; `params` is declared if the policy has a `paramKind`. */
export function expressionEnv(hasParams: boolean): Env {
  return hasParams ? admissionEnv().extend({ variables: { params: DYN } }) : admissionEnv();
}

/** The environment of a message expression, which has no `authorizer`. */
export function messageExpressionEnv(hasParams: boolean): Env {
  return hasParams ? messageEnv().extend({ variables: { params: DYN } }) : messageEnv();
}

/** The same environment with the types that mutations construct. */
export function mutationEnv(env: Env): Env {
  return env.extend({ libraries: [MUTATION] });
}

/** The result types of mutations. */
export const appliedType: Type = objectType("Object");
export const patchesType: Type = listOf(objectType("JSONPatch"));
/** The result types of a message expression and of the value of an audit annotation. */
export const messageTypes: readonly Type[] = [STRING];
export const annotationTypes: readonly Type[] = [STRING, NULL];

interface Expected {
  readonly env: Env;
  readonly types?: readonly Type[];
  /** The value in the error, if it is not the expression itself. */
  readonly shown?: string;
}

/** Compiles the expression and returns the compiler's message as a field error. */
export function checkExpression(
  source: string,
  path: string,
  { env, types = [BOOL], shown = source }: Expected,
): FieldError[] {
  const { expression, problem } = compile(env, source, types);
  return expression === undefined ? [fieldErrors.invalid(path, shown, problem)] : [];
}

const maxConditions = 64;

/** Checks the match conditions of a webhook or a policy. */
export function checkMatchConditions(conditions: readonly MatchCondition[], path: string, env: Env): FieldError[] {
  const names = conditions.map(({ name }) => name);
  return [
    ...(conditions.length > maxConditions ? [fieldErrors.tooMany(path, conditions.length, maxConditions)] : []),
    ...conditions.flatMap(({ name, expression }, index) => {
      const at = `${path}[${index}]`;
      const trimmed = (expression ?? "").trim();
      return [
        ...(trimmed === ""
          ? [fieldErrors.required(`${at}.expression`)]
          : checkExpression(trimmed, `${at}.expression`, { env })),
        ...(isEmpty(name) ? [fieldErrors.required(`${at}.name`)] : checkQualified(name, `${at}.name`)),
        ...(!isEmpty(name) && occursBefore(names, index) ? [fieldErrors.duplicate(`${at}.name`, name)] : []),
      ];
    }),
  ];
}

const reserved = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);
const variablesType = "kubernetes.variables";

/** Checks variables in order: each sees those before it. Returns the environment that declares all of them. */
export function checkVariables(
  variables: readonly Variable[],
  path: string,
  env: Env,
): [errors: FieldError[], env: Env] {
  const known = new Map<string, Type>();
  const composed = variables.length === 0 ? env : withVariables(env, known);
  const errors = variables.flatMap(({ name, expression }, index) => {
    const at = `${path}[${index}]`;
    const result = (expression ?? "").trim() === "" ? undefined : compile(composed, expression, []);
    if (result !== undefined) known.set(name, result.expression?.outputType ?? DYN);
    return [
      ...checkIdentifier(name ?? "", `${at}.name`),
      ...(result === undefined ? [fieldErrors.required(`${at}.expression`, "expression is not specified")] : []),
      ...(result !== undefined && result.expression === undefined
        ? [fieldErrors.invalid(`${at}.expression`, expression, result.problem)]
        : []),
    ];
  });
  return [errors, composed];
}

function withVariables(env: Env, known: ReadonlyMap<string, Type>): Env {
  const types: TypeProvider = {
    findType: (name) => (name === variablesType ? objectType(variablesType) : undefined),
    findField: (typeName, field) => (typeName === variablesType ? known.get(field) : undefined),
  };
  return env.extend({ variables: { variables: objectType(variablesType) }, types: [types] });
}

function checkIdentifier(name: string, path: string): FieldError[] {
  if (name.trim() === "") return [fieldErrors.required(path, "name is not specified")];
  if (/^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) && !reserved.has(name)) return [];
  return [fieldErrors.invalid(path, name, "must be a valid CEL identifier")];
}
