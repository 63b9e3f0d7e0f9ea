/** Structural schemas: the subset of OpenAPI in which every field has one place and one type, and the violations of its rules. */
import type { FieldError, FieldPath } from "./field-error.ts";
import { child, entry, forbidden, formatFieldError, invalid, required } from "./field-error.ts";
import { patternProblem } from "./pattern.ts";
import type { Schema } from "./schema.ts";

/** Why a schema cannot be converted to a structural one at all; undefined if it can. */
export function unsupportedConstruct(schema: Schema): string | undefined {
  return (
    unsupportedField(schema) ??
    firstOf([schema.not, ...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) ??
    (schema.preserveUnknownFields === false
      ? "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined"
      : undefined) ??
    (schema.itemsList !== undefined && schema.itemsList.length > 0
      ? "OpenAPIV3Schema 'items' must be a schema, but is an array"
      : undefined) ??
    firstOf([schema.items, ...(schema.properties?.values() ?? []), schema.additionalProperties?.schema])
  );
}

function firstOf(schemas: readonly (Schema | undefined)[]): string | undefined {
  for (const schema of schemas) {
    const problem = schema === undefined ? undefined : unsupportedConstruct(schema);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function unsupportedField(schema: Schema): string | undefined {
  const fields: readonly [string, boolean][] = [
    ["id", schema.id !== undefined],
    ["schema", schema.$schema !== undefined],
    ["$ref", schema.$ref !== undefined],
    ["patternProperties", schema.patternProperties !== undefined],
    ["dependencies", (schema.dependencies?.size ?? 0) > 0],
    ["additionalItems", schema.additionalItems !== undefined],
    ["definitions", schema.definitions !== undefined],
  ];
  const found = fields.find(([, present]) => present);
  return found === undefined ? undefined : `OpenAPIV3Schema '${found[0]}' is not supported`;
}

type Level = "root" | "item" | "field";

/** All violations that keep a schema from being structural, sorted by message as in the server. */
export function validateStructural(schema: Schema, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  checkInvariants(schema, { level: "root", path, errors });
  checkCompleteness(schema, { schema, schemaPath: path, valuePath: path, errors });
  return errors
    .map((error) => ({ error, message: formatFieldError(error) }))
    .sort((a, b) => (a.message < b.message ? -1 : a.message > b.message ? 1 : 0))
    .map(({ error }) => error);
}

interface Place {
  readonly level: Level;
  readonly path: FieldPath;
  readonly errors: FieldError[];
}

function checkInvariants(schema: Schema, place: Place): void {
  const { path, errors, level } = place;
  if (schema.type === "array" && schema.items === undefined)
    errors.push(required(child(path, "items"), "must be specified"));
  checkChildren(schema, place);
  checkExtensions(schema, place);
  checkValues(schema, {
    path,
    errors,
    skipAnyOf: isIntOrStringAnyOf(schema),
    skipFirstAllOfAnyOf: isIntOrStringAllOf(schema),
  });
  checkType(schema, place);
  if (schema.embeddedResource === true && schema.additionalProperties !== undefined)
    errors.push(
      forbidden(child(path, "additionalProperties"), "must not be used if x-kubernetes-embedded-resource is set"),
    );
  if (level === "root" && schema.type !== undefined && schema.type !== "object")
    errors.push(invalid(child(path, "type"), schema.type, "must be object at the root"));
  checkMetaFields(schema, place);
  if (schema.embeddedResource === true && schema.preserveUnknownFields !== true && schema.properties === undefined)
    errors.push(
      required(
        child(path, "properties"),
        "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
      ),
    );
}

function checkChildren(schema: Schema, { path, errors, level }: Place): void {
  if (schema.items !== undefined) checkInvariants(schema.items, { level: "item", path: child(path, "items"), errors });
  for (const [name, property] of schema.properties ?? [])
    checkInvariants(property, { level: "field", path: entry(child(path, "properties"), name), errors });
  if (schema.additionalProperties === undefined) return;
  const additional = child(path, "additionalProperties");
  if (level === "root") errors.push(forbidden(additional, "must not be used at the root"));
  if (schema.additionalProperties.schema !== undefined)
    checkInvariants(schema.additionalProperties.schema, { level: "field", path: additional, errors });
}

function checkExtensions(schema: Schema, { path, errors }: Place): void {
  if (schema.intOrString !== true) return;
  const detail = "must be false if x-kubernetes-int-or-string is true";
  if (schema.preserveUnknownFields === true)
    errors.push(invalid(child(path, "x-kubernetes-preserve-unknown-fields"), true, detail));
  if (schema.embeddedResource === true)
    errors.push(invalid(child(path, "x-kubernetes-embedded-resource"), true, detail));
}

const missingType: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

function checkType(schema: Schema, { path, errors, level }: Place): void {
  const typePath = child(path, "type");
  if (schema.embeddedResource === true && schema.type !== "object") {
    const detail = "must be object if x-kubernetes-embedded-resource is true";
    errors.push(schema.type === undefined ? required(typePath, detail) : invalid(typePath, schema.type, detail));
  } else if (schema.type === undefined && schema.intOrString !== true && schema.preserveUnknownFields !== true) {
    errors.push(required(typePath, missingType[level]));
  }
}

function checkMetaFields(schema: Schema, { path, errors, level }: Place): void {
  const checked = level === "root" || schema.embeddedResource === true;
  const place = (name: string): string => entry(child(path, "properties"), name);
  for (const name of ["kind", "apiVersion"]) {
    const field = schema.properties?.get(name);
    if (checked && field !== undefined && field.type !== "string")
      errors.push(invalid(child(place(name), "type"), field.type ?? "", "must be string"));
  }
  const metadata = schema.properties?.get("metadata");
  if (metadata === undefined) return;
  if (checked && metadata.type !== "object")
    errors.push(invalid(child(place("metadata"), "type"), metadata.type ?? "", "must be object"));
  if (level === "root" && saysMoreThanNames(metadata))
    errors.push(
      forbidden(
        place("metadata"),
        "must not specify anything other than name and generateName, but metadata is implicitly specified",
      ),
    );
}

function saysMoreThanNames(metadata: Schema): boolean {
  const allowed = new Set(["type", "default", "items", "uniqueItems"]);
  allowed.delete("items");
  allowed.delete("uniqueItems");
  const names = [...(metadata.properties?.keys() ?? [])];
  if (names.every((name) => name === "name" || name === "generateName")) allowed.add("properties");
  return Object.keys(metadata).some((key) => !allowed.has(key));
}

function isOnlyType(schema: Schema | undefined, type: string): boolean {
  return schema !== undefined && schema.type === type && Object.keys(schema).length === 1;
}

function isIntOrStringPair(schemas: readonly Schema[] | undefined): boolean {
  return schemas?.length === 2 && isOnlyType(schemas[0], "integer") && isOnlyType(schemas[1], "string");
}

/** Whether `anyOf` is the pair integer, string that int-or-string fields may have. */
export function isIntOrStringAnyOf(schema: Schema): boolean {
  return isIntOrStringPair(schema.anyOf);
}

/** Whether the first `allOf` has the pair integer, string that int-or-string fields may have. */
export function isIntOrStringAllOf(schema: Schema): boolean {
  return isIntOrStringPair(schema.allOf?.[0]?.anyOf);
}

interface ValuePlace {
  readonly path: FieldPath;
  readonly errors: FieldError[];
  readonly skipAnyOf: boolean;
  readonly skipFirstAllOfAnyOf: boolean;
}

function checkValues(schema: Schema, { path, errors, skipAnyOf, skipFirstAllOfAnyOf }: ValuePlace): void {
  const nested = (inner: Schema, key: string, skip = false): void =>
    checkNested(inner, { path: key, errors, skipAnyOf: skip, skipFirstAllOfAnyOf: false });
  if (!skipAnyOf) schema.anyOf?.forEach((inner, i) => nested(inner, entry(child(path, "anyOf"), i)));
  schema.allOf?.forEach((inner, i) => nested(inner, entry(child(path, "allOf"), i), skipFirstAllOfAnyOf && i === 0));
  schema.oneOf?.forEach((inner, i) => nested(inner, entry(child(path, "oneOf"), i)));
  if (schema.not !== undefined) nested(schema.not, child(path, "not"));
  const problem = schema.pattern === undefined ? undefined : patternProblem(schema.pattern);
  if (schema.pattern !== undefined && problem !== undefined)
    errors.push(
      invalid(child(path, "pattern"), schema.pattern, `must be a valid regular expression, but isn't: ${problem}`),
    );
}

const empty = "must be empty to be structural";
const undefinedDetail = "must be undefined to be structural";
const falseDetail = "must be false to be structural";

function checkNested(schema: Schema, place: ValuePlace): void {
  const { path, errors } = place;
  checkValues(schema, place);
  const inner = (nested: Schema, key: string): void =>
    checkNested(nested, { path: key, errors, skipAnyOf: false, skipFirstAllOfAnyOf: false });
  if (schema.items !== undefined) inner(schema.items, child(path, "items"));
  for (const [name, property] of schema.properties ?? []) inner(property, entry(child(path, "properties"), name));
  const banned: readonly [string, boolean, string][] = [
    ["type", schema.type !== undefined, empty],
    ["additionalProperties", schema.additionalProperties?.allows === true, undefinedDetail],
    ["default", schema.default !== undefined, undefinedDetail],
    ["title", schema.title !== undefined, empty],
    ["description", schema.description !== undefined, empty],
    ["nullable", schema.nullable === true, falseDetail],
    ["x-kubernetes-preserve-unknown-fields", schema.preserveUnknownFields === true, falseDetail],
    ["x-kubernetes-embedded-resource", schema.embeddedResource === true, falseDetail],
    ["x-kubernetes-int-or-string", schema.intOrString === true, falseDetail],
    ["x-kubernetes-list-map-keys", (schema.listMapKeys?.length ?? 0) > 0, empty],
    ["x-kubernetes-list-type", schema.listType !== undefined, undefinedDetail],
    ["x-kubernetes-map-type", schema.mapType !== undefined, undefinedDetail],
    ["x-kubernetes-validations", schema.validations !== undefined, empty],
  ];
  for (const [name, present, detail] of banned) if (present) errors.push(forbidden(child(path, name), detail));
  if (schema.properties?.has("metadata") === true)
    errors.push(forbidden(entry(child(path, "properties"), "metadata"), "must not be specified in a nested context"));
}

interface CompletenessPlace {
  readonly schema: Schema | undefined;
  readonly schemaPath: FieldPath;
  readonly valuePath: FieldPath;
  readonly errors: FieldError[];
}

function checkCompleteness(values: Schema, place: CompletenessPlace): void {
  const { valuePath } = place;
  const nested = (inner: Schema, key: string): void => checkNestedCompleteness(inner, { ...place, valuePath: key });
  if (values.not !== undefined) nested(values.not, child(valuePath, "not"));
  values.allOf?.forEach((inner, i) => nested(inner, entry(child(valuePath, "allOf"), i)));
  values.anyOf?.forEach((inner, i) => nested(inner, entry(child(valuePath, "anyOf"), i)));
  values.oneOf?.forEach((inner, i) => nested(inner, entry(child(valuePath, "oneOf"), i)));
}

function checkNestedCompleteness(values: Schema, place: CompletenessPlace): void {
  const { schema, schemaPath, valuePath, errors } = place;
  if (schema === undefined) {
    errors.push(required(schemaPath, `because it is defined in ${valuePath}`));
    return;
  }
  checkCompleteness(values, place);
  if (values.items !== undefined)
    checkNestedCompleteness(values.items, {
      schema: schema.items,
      schemaPath: child(schemaPath, "items"),
      valuePath: child(valuePath, "items"),
      errors,
    });
  for (const [name, property] of values.properties ?? [])
    checkNestedCompleteness(property, {
      schema: schema.properties?.get(name),
      schemaPath: entry(child(schemaPath, "properties"), name),
      valuePath: entry(child(valuePath, "properties"), name),
      errors,
    });
}
