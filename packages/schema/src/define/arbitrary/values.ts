/** Values that fit a structural schema, drawn by fast-check: everything that the schema allows is possible, small values first. */
import fc from "fast-check";
import type { Arbitrary } from "fast-check";
import type { Json } from "@capstan/model";
import type { JsonSchema } from "../json-schema.ts";
import { textOf } from "./texts.ts";

/** The number of items and entries where the schema sets no limit. */
const FEW = 4;

/** Values of a schema. Rules, and combinations of keywords, are left to a check of the whole object. */
export function valuesOf(schema: JsonSchema): Arbitrary<Json> {
  const values = schema.enum === undefined ? valuesByType(schema) : fc.constantFrom(...schema.enum);
  return schema.nullable === true
    ? fc.oneof({ weight: 1, arbitrary: fc.constant(null) }, { weight: 4, arbitrary: values })
    : values;
}

function valuesByType(schema: JsonSchema): Arbitrary<Json> {
  if (schema["x-kubernetes-int-or-string"] === true)
    return fc.oneof(integers({ ...schema, format: "int32" }), textOf(schema));
  if (schema["x-kubernetes-embedded-resource"] === true) return embedded;
  if (schema.type === undefined) return anything;
  switch (schema.type) {
    case "string":
      return textOf(schema);
    case "integer":
      return integers(schema);
    case "number":
      return numbers(schema);
    case "boolean":
      return fc.boolean();
    case "array":
      return lists(schema);
    case "object":
      return objects(schema);
  }
}

/** Any JSON, not too deep. */
const anything: Arbitrary<Json> = fc.jsonValue({ maxDepth: 2 }) as Arbitrary<Json>;

const embedded: Arbitrary<Json> = fc.constantFrom<Json>(
  { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "embedded" } },
  {
    apiVersion: "example.com/v1",
    kind: "Thing",
    metadata: { name: "embedded", labels: { a: "b" } },
    spec: { size: 1 },
  },
);

function integers(schema: JsonSchema): Arbitrary<number> {
  const widest =
    schema.format === "int32"
      ? { min: -(2 ** 31), max: 2 ** 31 - 1 }
      : { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER };
  const { minimum = widest.min, maximum = widest.max, multipleOf: step = 1 } = schema;
  const least = Math.ceil(minimum / step);
  const most = Math.floor(maximum / step);
  const min = schema.exclusiveMinimum === true && least * step === minimum ? least + 1 : least;
  const max = schema.exclusiveMaximum === true && most * step === maximum ? most - 1 : most;
  return fc.integer({ min, max }).map((count) => count * step);
}

function numbers(schema: JsonSchema): Arbitrary<number> {
  if (schema.multipleOf !== undefined) return integers(schema);
  const {
    minimum: min = -1e9,
    maximum: max = 1e9,
    exclusiveMinimum: minExcluded = false,
    exclusiveMaximum: maxExcluded = false,
  } = schema;
  // JSON has no negative zero.
  return fc.double({ min, max, minExcluded, maxExcluded, noNaN: true }).map((value) => value + 0);
}

function lists(schema: JsonSchema): Arbitrary<Json[]> {
  const { items = {}, minItems: minLength = 0, uniqueItems = false } = schema;
  const maxLength = Math.min(schema.maxItems ?? Infinity, Math.max(minLength, FEW));
  const keys = schema["x-kubernetes-list-map-keys"];
  const isSet = schema["x-kubernetes-list-type"] === "set" || uniqueItems;
  if (keys === undefined && !isSet) return fc.array(valuesOf(items), { minLength, maxLength });
  const selector = (item: Json): string =>
    JSON.stringify(keys === undefined ? item : keys.map((key) => keyOf(item, key, items)));
  return fc.uniqueArray(valuesOf(items), { minLength, maxLength, selector });
}

/** An item without a key has the key's default. */
function keyOf(item: Json, key: string, items: JsonSchema): Json | undefined {
  const own = (item as { readonly [name: string]: Json | undefined } | null)?.[key];
  return own ?? items.properties?.[key]?.default;
}

function objects(schema: JsonSchema): Arbitrary<{ [name: string]: Json }> {
  const { properties = {}, additionalProperties, required = [] } = schema;
  if (additionalProperties !== undefined) return maps(schema, additionalProperties);
  const fields = Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, valuesOf(field)]));
  const demanded = required.filter((name) => name in fields);
  const drawn: Arbitrary<{ [name: string]: Json }> = fc.record(fields, { requiredKeys: demanded });
  const choices = schema.oneOf ?? schema.anyOf ?? [];
  const ways = choices.flatMap(({ required: way }) => (way === undefined ? [] : [way]));
  return ways.length === 0
    ? drawn
    : fc
        .tuple(drawn, fc.constantFrom(...ways), fc.record(fields))
        .map(([some, way, all]) => chosen(some, { way, all, ways }));
}

/** Exactly the fields of one alternative, and none of the others. */
function chosen(
  some: { readonly [name: string]: Json },
  {
    way,
    all,
    ways,
  }: {
    readonly way: readonly string[];
    readonly all: { readonly [name: string]: Json | undefined };
    readonly ways: readonly (readonly string[])[];
  },
): { [name: string]: Json } {
  const others = new Set(ways.flat());
  const kept = Object.entries(some).filter(([name]) => !others.has(name));
  const taken = way.flatMap((name): [string, Json][] => (all[name] === undefined ? [] : [[name, all[name]]]));
  return Object.fromEntries([...kept, ...taken]);
}

function maps(schema: JsonSchema, values: JsonSchema): Arbitrary<{ [name: string]: Json }> {
  const minKeys = schema.minProperties ?? 0;
  const maxKeys = Math.min(schema.maxProperties ?? Infinity, Math.max(minKeys, FEW));
  const key = fc.stringMatching(/^[a-z][a-z0-9]{0,7}$/u);
  return fc.dictionary(key, valuesOf(values), { minKeys, maxKeys, noNullPrototype: true });
}
