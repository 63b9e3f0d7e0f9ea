/** Compares our results with those of the Kubernetes Go packages for the same inputs. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import type { FieldError, Json } from "@capstan/model";
import { fieldErrors } from "@capstan/model";

import { compileColumns } from "../../src/print/columns.ts";
import { compileJsonPath } from "../../src/print/jsonpath.ts";
import { JsonPathError } from "../../src/print/jsonpath-parser.ts";
import { crdWarnings, validateCustomResourceDefinition } from "../../src/structural/crd.ts";
import { formatPredicate } from "../../src/structural/formats.ts";
import { publishSchemas } from "../../src/structural/publish.ts";
import { compileResource } from "../../src/structural/resource.ts";
import { readSchema } from "../../src/structural/schema.ts";
import { validateStructural } from "../../src/structural/structural.ts";
import { columns, formatNames, formatSamples, printed, templates } from "./print-cases.ts";
import type { ObjectQuestion } from "./questions.ts";
import { crdQuestions, objectQuestions, publishQuestions, ruledQuestions, scaleQuestions } from "./questions.ts";

interface Problem {
  readonly type: string;
  readonly message: string;
}

function answers<T>(name: string): readonly T[] {
  return JSON.parse(readFileSync(new URL(`vectors/${name}.json`, import.meta.url), "utf8")) as readonly T[];
}

/** Errors as text, sorted: the server iterates over maps in random order. */
function sorted(errors: readonly (FieldError | Problem)[]): string[] {
  return errors
    .map((error) => `${error.type} ${"message" in error ? error.message : fieldErrors.format(error)}`)
    .sort();
}

interface ObjectAnswer {
  readonly structural: readonly Problem[];
  readonly unknown: readonly string[] | null;
  readonly coercion?: readonly Problem[];
  readonly oldCoercion?: boolean;
  readonly object?: Json;
  readonly errors?: readonly Problem[];
}

function judge(question: ObjectQuestion): ObjectAnswer {
  const schema = readSchema(question.schema);
  const resource = compileResource(schema, {
    group: "example.com",
    version: "v1",
    kind: "Widget",
    namespaced: true,
    ...(question.scale === undefined ? {} : { scale: question.scale }),
  });
  const structural = sorted(validateStructural(schema, undefined)).map((message) => ({ type: "", message }));
  const decoded = resource.decode(question.object);
  if ("problem" in decoded) return { structural, unknown: [], coercion: [{ type: "", message: decoded.problem }] };
  const object = resource.applyDefaults(decoded.object);
  const before = question.old === undefined ? undefined : resource.decode(question.old);
  if (before !== undefined && "problem" in before) return { structural, unknown: [], oldCoercion: true };
  const errors =
    before === undefined
      ? resource.validate(object)
      : resource.validateUpdate(object, resource.applyDefaults(before.object));
  const shown = sorted(errors).map((message) => ({ type: "", message }));
  return { structural, unknown: [...decoded.unknown].sort(), object, errors: shown };
}

function compareObject(question: ObjectQuestion, expected: ObjectAnswer): void {
  const actual = judge(question);
  if (expected.oldCoercion === true) return assert.equal(actual.oldCoercion, true);
  if (expected.coercion !== undefined) {
    // Which of two malformed fields comes first is random in the server.
    assert.equal(actual.coercion?.length, 1, JSON.stringify(question));
    return;
  }
  const texts = (problems: readonly Problem[] | undefined): string[] => (problems ?? []).map(({ message }) => message);
  assert.deepEqual(texts(actual.structural), sorted(expected.structural));
  assert.deepEqual(actual.unknown, expected.unknown ?? []);
  assert.deepEqual(actual.object, expected.object);
  assert.deepEqual(texts(actual.errors), sorted(expected.errors ?? []), JSON.stringify(question));
}

test("random objects are pruned, defaulted and validated like in the server", () => {
  const expected = answers<ObjectAnswer>("objects");
  const questions = objectQuestions(150);
  assert.equal(questions.length, expected.length);
  assert.ok(expected.filter(({ errors }) => (errors?.length ?? 0) > 0).length > 200);
  questions.forEach((question, i) => compareObject(question, expected[i] as ObjectAnswer));
});

test("invalid replicas of the scale subresource are rejected", () => {
  const expected = answers<ObjectAnswer>("scale");
  scaleQuestions().forEach((question, i) => compareObject(question, expected[i] as ObjectAnswer));
});

/** Invalid dates reach rules only when they did not change; further details of Go's parser errors are not reproduced. */
function withoutParserWords(answer: ObjectAnswer): ObjectAnswer {
  const parserWords =
    /(Invalid (?:date|date-time|byte|duration)(?: formatted string)? .*?): (?:parsing|illegal|time:|invalid|unable|unknown).* (evaluating rule)/;
  const told = (problem: Problem): Problem => ({ ...problem, message: problem.message.replace(parserWords, "$1 $2") });
  return answer.errors === undefined ? answer : { ...answer, errors: answer.errors.map(told) };
}

test("rules hold and fail as in the server, with ratcheting and list maps", () => {
  const expected = answers<ObjectAnswer>("rules");
  const questions = ruledQuestions(3);
  assert.equal(questions.length, expected.length);
  questions.forEach((question, i) => {
    compareObject(question, withoutParserWords(expected[i] as ObjectAnswer));
  });
});

test("definitions are rejected with the server's errors", () => {
  const expected = answers<{ errors: readonly Problem[]; warnings: readonly string[] | null }>("crds");
  const questions = crdQuestions();
  assert.equal(questions.length, expected.length);
  questions.forEach(({ crd, oldCrd }, i) => {
    const answer = expected[i];
    if (answer === undefined) assert.fail("no answer is kept");
    const shown = sorted(validateCustomResourceDefinition(crd, oldCrd));
    assert.deepEqual(shown, sorted(answer.errors), JSON.stringify(crd));
    assert.deepEqual(crdWarnings(crd, oldCrd).sort(), [...(answer.warnings ?? [])].sort());
  });
});

test("templates print what kubectl prints", () => {
  const expected = answers<{ text?: string; error?: string }>("paths");
  templates
    .flatMap((template) => [true, false].map((allowMissingKeys) => ({ template, allowMissingKeys })))
    .forEach(({ template, allowMissingKeys }, i) => {
      assert.deepEqual(printTemplate(template, allowMissingKeys), expected[i], template);
    });
});

function printTemplate(template: string, allowMissingKeys: boolean): { text?: string; error?: string } {
  try {
    return { text: compileJsonPath(template, { allowMissingKeys }).print(printed) };
  } catch (error) {
    if (error instanceof JsonPathError) return { error: error.message };
    throw error;
  }
}

test("columns become the cells of the server's tables", () => {
  const expected = answers<{ columns: Json[]; cells: Json[] }>("columns");
  columns.forEach((column, i) => {
    const printer = compileColumns([column]);
    assert.deepEqual(printer.columns, expected[i]?.columns, column.jsonPath);
    assert.deepEqual(printer.cells(printed, Date.now()), expected[i]?.cells, `${column.type} ${column.jsonPath}`);
  });
});

test("formats accept what the server accepts", () => {
  const expected = answers<{ valid: boolean }>("formats");
  const differences: string[] = [];
  formatNames
    .flatMap((format) => formatSamples.map((value) => ({ format, value })))
    .forEach(({ format, value }, i) => {
      if (formatPredicate(format)?.(value) !== expected[i]?.valid)
        differences.push(`${format} ${JSON.stringify(value)}`);
    });
  assert.deepEqual(differences, []);
});

test("schemas are published as in the server's OpenAPI documents", () => {
  const expected = answers<{ schemas: Json }>("published"); // without the server's own descriptions;
  publishQuestions(60).forEach(({ schema: json, v2 }, i) => {
    const schema = readSchema(json);
    const names = {
      group: "example.com",
      version: "v1",
      kind: "Widget",
      listKind: "WidgetList",
      selectableFields: [".spec.alpha"],
    };
    const usable = validateStructural(schema, undefined).length === 0 ? schema : undefined;
    const published = publishSchemas(usable, names, v2 ? "v2" : "v3");
    assert.deepEqual(published, expected[i]?.schemas, JSON.stringify(json));
  });
});
