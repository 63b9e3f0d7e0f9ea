/** Expressions in webhooks and policies: they must compile in the environment in which they will run. */
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

/** The environment of an expression; parameters are there if the policy has a kind for them. */
export function expressionEnv(hasParams: boolean): Env {
  return hasParams ? admissionEnv().extend({ variables: { params: DYN } }) : admissionEnv();
}

/** The environment of a message, which knows no authorizer. */
export function messageExpressionEnv(hasParams: boolean): Env {
  return hasParams ? messageEnv().extend({ variables: { params: DYN } }) : messageEnv();
}

/** The same with the types that mutations make. */
export function mutationEnv(env: Env): Env {
  return env.extend({ libraries: [MUTATION] });
}

/** What mutations must evaluate to. */
export const appliedType: Type = objectType("Object");
export const patchesType: Type = listOf(objectType("JSONPatch"));
/** What a message and the value of an annotation must evaluate to. */
export const messageTypes: readonly Type[] = [STRING];
export const annotationTypes: readonly Type[] = [STRING, NULL];

interface Expected {
  readonly env: Env;
  readonly types?: readonly Type[];
  /** What the refusal shows, if it is not the expression itself. */
  readonly shown?: string;
}

/** Compiles, and refuses with what the compiler says. */
export function checkExpression(
  source: string,
  path: string,
  { env, types = [BOOL], shown = source }: Expected,
): FieldError[] {
  const { expression, problem } = compile(env, source, types);
  return expression === undefined ? [fieldErrors.invalid(path, shown, problem)] : [];
}

const maxConditions = 64;

/** Checks the conditions under which a webhook or a policy is asked. */
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

/** Checks variables one after the other: each sees those before it. Answers with the environment that sees them all. */
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
