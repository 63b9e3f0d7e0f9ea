/** Checks that a value has the shape that its type asks for; merging relies on it. */
import type { Json } from "@capstan/model";
import { formatPath } from "../fields/field-set.ts";
import { fieldElement, formatElement, indexElement, type PathElement } from "../fields/path-element.ts";
import { printSource, printValue, typeName } from "../go-print.ts";
import { isList, isObject, type JsonObject } from "../json-value.ts";
import { fieldType } from "../schema/type-schema.ts";
import type { ListType, MapType, ScalarKind, TypeSchema } from "../schema/type-schema.ts";
import { itemElement, preferredShape, shapeOf } from "./shape.ts";

/** How strictly lists are checked: what is applied may not name an item twice, what is stored may. */
export interface ValidateOptions {
  readonly allowDuplicates: boolean;
}

/** What is wrong with a value, as one sentence; undefined when nothing is. */
export function findTypeErrors(value: Json, type: TypeSchema, options: ValidateOptions): string | undefined {
  const check: Check = { ...options, path: [], errors: [] };
  checkValue(value, type, check);
  const [only] = check.errors;
  if (check.errors.length < 2) return only;
  return ["errors:", ...check.errors.map((error) => `  ${error}`)].join("\n");
}

interface Check extends ValidateOptions {
  readonly path: PathElement[];
  readonly errors: string[];
}

function report(check: Check, message: string): void {
  const path = formatPath(check.path);
  check.errors.push(path === "" ? message : `${path}: ${message}`);
}

function checkValue(value: Json, type: TypeSchema, check: Check): void {
  if (value === null) return;
  switch (preferredShape(type, shapeOf(type, value))) {
    case "map":
      return isObject(value) && type.map !== undefined
        ? checkFields(value, type.map, check)
        : report(check, `expected map, got &{${printValue(value)}}`);
    case "list":
      return isList(value) && type.list !== undefined
        ? checkItems(value, type.list, check)
        : report(check, `expected list, got &{${printValue(value)}}`);
    case "scalar": {
      const problem = type.scalar && scalarProblem(type.scalar, value);
      if (problem !== undefined) report(check, problem);
    }
  }
}

/** Why a value is not the scalar that was asked for; null always is. */
export function scalarProblem(kind: ScalarKind, value: Json | undefined): string | undefined {
  if (value === null || value === undefined) return undefined;
  switch (kind) {
    case "numeric":
      return typeof value === "number" ? undefined : `expected numeric (int or float), got ${typeName(value)}`;
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

function checkFields(object: JsonObject, map: MapType, check: Check): void {
  for (const name in object) {
    const value = object[name];
    if (value === undefined) continue;
    check.path.push(fieldElement(name));
    const type = fieldType(map, name);
    if (type === undefined) report(check, "field not declared in schema");
    else checkValue(value, type(), check);
    check.path.pop();
    if (type === undefined) return;
  }
}

function checkItems(items: readonly Json[], list: ListType, check: Check): void {
  const seen = new Set<PathElement>();
  const type = list.element();
  for (const [index, item] of items.entries()) {
    const element = list.kind === "atomic" ? indexElement(index) : itemElement(list, item);
    if (typeof element !== "string") return report(check, `element ${index}: ${element.problem}`);
    if (seen.has(element) && !check.allowDuplicates) {
      report(check, `duplicate entries for key ${formatElement(element)}`);
    }
    if (list.kind !== "atomic") seen.add(element);
    check.path.push(element);
    checkValue(item, type, check);
    check.path.pop();
  }
}
