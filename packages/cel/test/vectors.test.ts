/** Compares every case of the oracle with the results of cel-go and Kubernetes' libraries. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import {
  AUTHORIZER,
  BINDINGS,
  CelAuthorizer,
  CelError,
  createEnv,
  declList,
  declMap,
  declObject,
  declScalar,
  declSizes,
  declTypeProvider,
  fromJson,
  kubernetesOptions,
  MUTATION,
} from "@capstan/cel";
import type {
  AuthorizationQuestion,
  CelResult,
  DeclField,
  DeclType,
  Expression,
  Json,
  JsonForm,
  Library,
  Type,
} from "@capstan/cel";
import type { Case, CaseType } from "./oracle/cases.ts";
import { FILES } from "./oracle/cases.ts";
import { show } from "./show.ts";

/** The result of the oracle; fields that do not apply are absent. */
interface Answer {
  compile?: string;
  type?: string;
  min?: string;
  max?: string;
  program?: string;
  value?: string;
  error?: string;
  cost?: string;
}

const LIBRARIES: Readonly<Record<string, Library>> = { bindings: BINDINGS, mutation: MUTATION };

function declOf(type: CaseType): DeclType {
  if (typeof type === "string") return declScalar(formOf(type), { nullable: true });
  if ("type" in type) return declScalar(formOf(type.type), { nullable: true, ...limit(type.max) });
  if ("list" in type) return declList(declOf(type.list), limit(type.max));
  if ("map" in type) return declMap(declOf(type.map), limit(type.max));
  const fields = Object.entries(type.fields).map(([name, field]): [string, DeclField] => [
    name,
    { property: name, type: declOf(field), required: false },
  ]);
  return declObject(type.object, new Map(fields));
}

function formOf(name: string): JsonForm {
  return name === "timestamp" ? "date-time" : (name as JsonForm);
}

function limit(max: number | undefined): { maxElements?: bigint } {
  return max === undefined ? {} : { maxElements: BigInt(max) };
}

function authorize(question: AuthorizationQuestion): { allowed: boolean; reason: string; error?: string } {
  const user = question.serviceAccount
    ? `system:serviceaccount:${question.serviceAccount.namespace}:${question.serviceAccount.name}`
    : "alice";
  const { group = "", resource = "", subresource = "", namespace = "", name = "" } = question.resource ?? {};
  const target = `group=${group} resource=${resource} sub=${subresource} ns=${namespace} name=${name} path=${question.path ?? ""}`;
  const reason = `${user} ${question.verb} ${target}`;
  if (question.verb === "fail") return { allowed: false, reason, error: "failed on purpose" };
  return { allowed: question.verb === "get", reason };
}

function answerTo(testCase: Case): Answer {
  const decls: Record<string, DeclType> = {};
  const variables: Record<string, Type> = {};
  const activation = new Map<string, CelResult>();
  for (const [name, type] of Object.entries(testCase.types ?? {})) {
    if (type === "authorizer") {
      variables[name] = AUTHORIZER;
      activation.set(name, new CelAuthorizer(authorize));
      continue;
    }
    const decl = declOf(type);
    decls[name] = decl;
    variables[name] = decl.type;
    activation.set(name, fromJson((testCase.vars ?? {})[name] as Json, decl));
  }
  const base = kubernetesOptions(Number((testCase.version ?? "1.36").split(".")[1]));
  const libraries = [...base.libraries, ...(testCase.with ?? []).map((name) => LIBRARIES[name] as Library)];
  const env = createEnv({ ...base, libraries, variables, types: [declTypeProvider(...Object.values(decls))] });
  const compiled = env.compile(testCase.expr);
  const sizes = declSizes(decls);
  if (compiled.ok) return run(compiled.expression, sizes, activation, testCase.limit ?? 1_000_000);
  if (compiled.phase !== "program") return { compile: compiled.message };
  const cost = compiled.estimateCost?.(sizes);
  return {
    type: String(compiled.outputType),
    min: String(cost?.min),
    max: String(cost?.max),
    program: compiled.message,
  };
}

function run(
  expression: Expression,
  sizes: ReturnType<typeof declSizes>,
  activation: ReadonlyMap<string, CelResult>,
  costLimit: number,
): Answer {
  const { min, max } = expression.estimateCost(sizes);
  const { result, cost } = expression.evaluateWithCost(activation, { costLimit });
  const head = { type: String(expression.outputType), min: String(min), max: String(max) };
  const outcome = result instanceof CelError ? { error: result.message } : { value: show(result) };
  return { ...head, ...outcome, cost: String(cost) };
}

/** Where ours differs on purpose, and why. */
const KNOWN: ReadonlyMap<string, string> = new Map();

for (const [file, cases] of Object.entries(FILES)) {
  describe(`the results of ${file}`, () => {
    const vectors = JSON.parse(readFileSync(new URL(`vectors/${file}.json`, import.meta.url), "utf8")) as {
      expr: string;
      want: Answer;
    }[];
    it("has a result for every case", () =>
      assert.deepEqual(
        vectors.map(({ expr }) => expr),
        cases.map(({ expr }) => expr),
      ));
    for (const [index, testCase] of cases.entries()) {
      const name = `${testCase.version ?? ""}${(testCase.with ?? []).join()} ${JSON.stringify(testCase.expr)}`;
      if (KNOWN.has(testCase.expr)) continue;
      it(name, () => assert.deepEqual(answerTo(testCase), vectors[index]?.want));
    }
  });
}
