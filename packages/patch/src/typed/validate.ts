/** Checks that a value has the shape that its type requires; merging relies on it. */
import { isLargeInteger, type Json } from "@capstan/model";
import { fieldElement, formatElement, indexElement, type PathElement } from "../fields/path-element.ts";
import { printSource, printValue, typeName } from "../go-print.ts";
import { isList, isObject, type JsonObject } from "../json-value.ts";
import { fieldType } from "../schema/type-schema.ts";
import type { ListType, MapType, ScalarKind, TypeSchema } from "../schema/type-schema.ts";
import { itemElement, preferredShape, shapeOf } from "./shape.ts";

/** How strictly lists are checked: an applied configuration may not contain an item twice, a stored object may. */
export interface ValidateOptions {
  readonly allowDuplicates: boolean;
}

/** The error of a value as one sentence; undefined when it is valid. */
export function findTypeErrors(value: Json, type: TypeSchema, options: ValidateOptions): string | undefined {
  if (checkValue(value, type, options) === undefined) return undefined;
  // The first unknown field ends the search, and Go mostly visits fields in the order of their names: only errors are sorted.
  const problems = checkValue(sorted(value), type, options) ?? [];
  const sentences = problems.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  if (sentences.length === 1) return sentences[0];
  return ["errors:", ...sentences.map((sentence) => `  ${sentence}`)].join("\n");
}

function sorted(value: Json): Json {
  if (isList(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name] ?? null)]));
}

/** The error and its path, relative to the checked value. */
interface Problem {
  readonly path: string;
  readonly message: string;
}

/** Paths are built on the way out, so that a valid value costs none. */
function below(element: PathElement, problems: readonly Problem[]): Problem[] {
  return problems.map(({ path, message }) => ({ path: formatElement(element) + path, message }));
}

function here(message: string | undefined): Problem[] | undefined {
  return message === undefined ? undefined : [{ path: "", message }];
}

function checkValue(value: Json, type: TypeSchema, options: ValidateOptions): Problem[] | undefined {
  if (value === null) return undefined;
  switch (preferredShape(type, shapeOf(type, value))) {
    case "map":
      if (!isObject(value) || type.map === undefined) return here(`expected map, got &{${printValue(value)}}`);
      return checkFields(value, type.map, options);
    case "list":
      if (!isList(value) || type.list === undefined) return here(`expected list, got &{${printValue(value)}}`);
      return checkItems(value, type.list, options);
    case "scalar":
      return here(type.scalar && scalarProblem(type.scalar, value));
  }
}

/** Why a value is not the required scalar; null always is. */
export function scalarProblem(kind: ScalarKind, value: Json | undefined): string | undefined {
  if (value === null || value === undefined) return undefined;
  switch (kind) {
    case "numeric":
      return typeof value === "number" || isLargeInteger(value)
        ? undefined
        : `expected numeric (int or float), got ${typeName(value)}`;
    case "string":
      return typeof value === "string"
        ? undefined
        : `expected string, got &value.valueUnstructured{Value:${printSource(value)}}`;
    case "boolean":
      return typeof value === "boolean" ? undefined : `expected boolean, got &{${printValue(value)}}`;
    case "untyped":
      return typeof value === "object" ? `expected any scalar, got &{${printValue(value)}}` : undefined;
  }
}

function checkFields(object: JsonObject, map: MapType, options: ValidateOptions): Problem[] | undefined {
  let found: Problem[] | undefined;
  for (const name in object) {
    const value = object[name];
    if (value === undefined) continue;
    const type = fieldType(map, name);
    const problems = type === undefined ? here("field not declared in schema") : checkValue(value, type(), options);
    if (problems !== undefined) found = [...(found ?? []), ...below(fieldElement(name), problems)];
    if (type === undefined) break;
  }
  return found;
}

function checkItems(items: readonly Json[], list: ListType, options: ValidateOptions): Problem[] | undefined {
  const type = list.element();
  const seen = new Set<PathElement>();
  const found: Problem[] = [];
  for (const [index, item] of items.entries()) {
    const element = list.kind === "atomic" ? undefined : itemElement(list, item);
    if (typeof element === "object") return [...found, { path: "", message: `element ${index}: ${element.problem}` }];
    if (element !== undefined && seen.has(element) && !options.allowDuplicates) {
      found.push({ path: "", message: `duplicate entries for key ${formatElement(element)}` });
    }
    if (element !== undefined) seen.add(element);
    const problems = checkValue(item, type, options);
    if (problems !== undefined) found.push(...below(element ?? indexElement(index), problems));
  }
  return found.length > 0 ? found : undefined;
}
