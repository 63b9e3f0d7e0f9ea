/** Our results for the oracle's questions: the fixtures contain the results of kube-apiserver's libraries. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { builtInDefinitions } from "@capstan/kinds";
import type { Json } from "@capstan/model";
import {
  applyJsonPatch,
  applyMergePatch,
  applyStrategicPatch,
  createMergePatch,
  createStrategicPatch,
  createThreeWayMergePatch,
  createThreeWayStrategicPatch,
  deduced,
  extractApplied,
  fieldSetOf,
  fromOpenApi,
  manageFields,
  PatchError,
  patchTypeFromOpenApi,
  recursiveDifferenceOf,
  type FieldFilter,
  type JsonObject,
  type ManageFieldsOptions,
  type TypeSchema,
} from "../src/index.ts";
import { changedDefinitions, definitions } from "./oracle/definitions.ts";
import type { Question } from "./oracle/questions.ts";
import type { Step } from "./oracle/things.ts";

interface Answer {
  readonly result?: Json;
  readonly error?: string;
}

interface StepAnswer {
  readonly object?: JsonObject;
  readonly error?: string;
  readonly extracted?: JsonObject;
  readonly causes?: readonly { readonly message: string; readonly field?: string }[];
}

function load<T>(name: string): (Question & { readonly answer: T })[] {
  const file =
    process.env[`CAPSTAN_ORACLE_${name.toUpperCase()}`] ?? new URL(`fixtures/generated/${name}.json`, import.meta.url);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as (Question & { readonly answer: T })[]) : [];
}

function attempt(run: () => Json): Answer {
  try {
    return { result: run() };
  } catch (error) {
    if (error instanceof PatchError) return { error: error.message };
    throw error;
  }
}

function answerDocument(question: Question): Answer {
  const { document = null, patch = null } = question;
  const original = (question.original ?? {}) as JsonObject;
  const modified = (question.modified ?? {}) as JsonObject;
  const current = (question.current ?? {}) as JsonObject;
  switch (question.kind) {
    case "json-patch":
      return attempt(() => applyJsonPatch(document, patch));
    case "merge-patch":
      return attempt(() => applyMergePatch(document, patch));
    case "create-merge-patch":
      return attempt(() => createMergePatch(original, modified));
    default:
      return attempt(() => createThreeWayMergePatch({ original, modified, current }));
  }
}

function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(value).forEach(frozen);
  return Object.freeze(value);
}

test("documents are patched like the oracle", () => {
  const questions = load<Answer>("documents");
  assert.ok(questions.length > 0);
  for (const { answer, ...question } of questions) {
    // Where the library crashes, the server responds with an internal error; we reject the patch or follow the RFC.
    if (answer.error?.startsWith("panic") === true) continue;
    assert.deepEqual(answerDocument(frozen(question)), answer, JSON.stringify(question));
  }
});

function answerStrategic(question: Question): Answer {
  const [document, patch] = [question.document as JsonObject, question.patch as JsonObject];
  const original = (question.original ?? {}) as JsonObject;
  const modified = (question.modified ?? {}) as JsonObject;
  const current = (question.current ?? {}) as JsonObject;
  const type = patchTypeFromOpenApi(builtInDefinitions(), question.type ?? "");
  switch (question.kind) {
    case "strategic":
      return attempt(() => applyStrategicPatch(document, patch, type));
    case "create-strategic":
      return attempt(() => createStrategicPatch(original, modified, type));
    default: {
      const overwrite = question.patch === true;
      return attempt(() => createThreeWayStrategicPatch({ original, modified, current }, type, { overwrite }));
    }
  }
}

test("strategic merge patches are applied and created like the oracle", () => {
  const questions = load<Answer>("strategic");
  assert.ok(questions.length > 0);
  for (const { answer, ...question } of questions) {
    if (answer.error?.startsWith("panic") === true) continue;
    const actual = answerStrategic(frozen(question));
    assert.deepEqual(comparable(actual, answer), answer, JSON.stringify(question));
  }
});

/** The oracle prints conflicts as YAML; which of several errors it returns depends on the order of a Go map. */
function comparable(actual: Answer, { error: wanted = "" }: Answer): Answer {
  const { error = "" } = actual;
  if (!wanted.startsWith("patch:\n")) return actual;
  if (error.startsWith("unable to find api field in struct")) return { error: wanted };
  const [, patch = "null", changes = "null"] =
    /^patch:\n(.*)\nconflicts with changes made from original to current:\n(.*)\n$/.exec(error) ?? [];
  const [a, b] = [patch, changes].map((text) => toYaml(JSON.parse(text) as Json));
  return { error: `patch:\n${a}\nconflicts with changes made from original to current:\n${b}\n` };
}

/** Prints values like Go's library, for values as simple as those of the questions. */
function toYaml(value: Json): string {
  return `${yamlLines(value).join("\n")}\n`;
}

function yamlLines(value: Json): string[] {
  if (Array.isArray(value)) {
    if (value.length === 0) return ["[]"];
    return value.flatMap((item: Json) => yamlLines(item).map((line, at) => `${at === 0 ? "- " : "  "}${line}`));
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return entries.length === 0 ? ["{}"] : entries.flatMap(([key, part]) => yamlEntry(key, part as Json));
  }
  return [typeof value === "string" && !/^[0-9]/.test(value) ? value : JSON.stringify(value)];
}

function yamlEntry(key: string, value: Json): string[] {
  const lines = yamlLines(value);
  const isNested = typeof value === "object" && value !== null && Object.keys(value).length > 0;
  if (!isNested) return [`${key}: ${lines[0]}`];
  return [`${key}:`, ...lines.map((line) => (Array.isArray(value) ? line : `  ${line}`))];
}

const start = Date.parse("2026-01-02T03:04:05Z");

const resetFor = (subresource: string | undefined): FieldFilter => {
  const reset = subresource === "status" ? fieldSetOf(["f:spec"], ["f:metadata"]) : fieldSetOf(["f:status"]);
  return (fields) => recursiveDifferenceOf(fields, reset);
};

function convert(object: JsonObject, apiVersion: string): JsonObject | undefined {
  if (object["apiVersion"] === apiVersion) return object;
  const version = apiVersion.split("/")[1];
  if (version !== "v1" && version !== "v2") return undefined;
  const [from, to] = version === "v1" ? ["replicas", "size"] : ["size", "replicas"];
  const spec = object["spec"];
  if (typeof spec !== "object" || spec === null || !Object.hasOwn(spec, from)) return { ...object, apiVersion };
  const { [from]: value, ...rest } = spec as JsonObject;
  return { ...object, apiVersion, spec: { ...rest, [to]: value } };
}

function schemaOf(question: Question, step: Step, apiVersion: string) {
  const inForce = step.schema === "changed.json" ? changedDefinitions : definitions;
  return question.schema === undefined
    ? deduced
    : fromOpenApi(inForce, `dev.example.${apiVersion.split("/")[1]}.Thing`);
}

function optionsOf(question: Question, live: JsonObject | undefined, step: Step, index: number): ManageFieldsOptions {
  const apiVersion = step.object["apiVersion"] as string;
  return frozen({
    operation: step.operation,
    live: live && convert(live, apiVersion),
    incoming: step.object,
    apiVersion,
    kind: "Thing",
    manager: step.manager,
    force: step.force ?? false,
    subresource: step.subresource ?? "",
    now: new Date(start + index * 1000),
    schema: schemaOf(question, step, apiVersion),
    resetFields: { [apiVersion]: resetFor(step.subresource) },
    convert: (object: JsonObject, target: string) => {
      const converted = convert(object, target);
      return converted && { object: converted, schema: schemaOf(question, step, target) };
    },
  });
}

test("fields are managed like the oracle", () => {
  const questions = load<readonly StepAnswer[]>("managed");
  assert.ok(questions.length > 0);
  for (const { answer, ...question } of questions) {
    let live: JsonObject | undefined;
    for (const [index, step] of (question.steps ?? []).entries()) {
      const expected = answer[index] ?? {};
      const options = optionsOf(question, live, step, index);
      const result = manageFields(options);
      const context = `step ${index} of ${JSON.stringify(question)}`;
      if (result.outcome !== "done") {
        checkRefusal(expected, result, context);
        continue;
      }
      const metadata = result.object["metadata"] as JsonObject;
      live = { ...result.object, metadata: { ...metadata, uid: "stored" } };
      assert.deepEqual(live, expected.object, context);
      checkExtracted(live, expected.extracted, { schema: options.schema, context });
      assertSameOrder(live, expected.object ?? {}, context);
    }
  }
});

/** The applied configuration of each manager can be read from the object, unless the object does not fit the schema. */
function checkExtracted(
  live: JsonObject,
  expected: JsonObject = {},
  { schema, context }: { schema: TypeSchema; context: string },
): void {
  if (Object.hasOwn(expected, "error")) return;
  for (const [manager, wanted] of Object.entries(expected)) {
    const found = extractApplied(live, { manager, schema });
    const { apiVersion, kind } = live;
    assert.deepEqual(found, { apiVersion, kind, ...(wanted as JsonObject | null) }, `${manager} in ${context}`);
  }
}

/** The order of conflicts with several managers, and of type errors, is that of a Go map: only their set is compared. */
function checkRefusal(
  expected: StepAnswer,
  result: { message: string; causes?: readonly object[] },
  context: string,
): void {
  const lines = (text: string | undefined) => (text ?? "").split("\n").sort();
  assert.deepEqual(lines(result.message), lines(expected.error), context);
  const sorted = (causes: readonly object[] | undefined) => (causes ?? []).map((cause) => JSON.stringify(cause)).sort();
  assert.deepEqual(sorted(result.causes), sorted(expected.causes), context);
}

/** The steps of managed fields are sorted in the text that a client reads. */
function assertSameOrder(actual: JsonObject, expected: JsonObject, context: string): void {
  const fieldsOf = (object: JsonObject) =>
    (((object["metadata"] as JsonObject)["managedFields"] ?? []) as readonly JsonObject[]).map((entry) =>
      JSON.stringify(entry["fieldsV1"]),
    );
  assert.deepEqual(fieldsOf(actual), fieldsOf(expected), context);
}
