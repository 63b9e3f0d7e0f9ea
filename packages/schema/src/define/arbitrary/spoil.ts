/** Makes a valid value invalid in one place, in a way that its schema names: too small, too long, missing, of another type. */
import fc from "fast-check";
import type { Arbitrary } from "fast-check";
import type { Json } from "@capstan/model";
import type { JsonSchema } from "../json-schema.ts";

/** The new value of a place; undefined: it is removed. */
interface Spoiling {
  readonly path: readonly (string | number)[];
  readonly to: Json | undefined;
}

/** One of the ways to make a value invalid; undefined where its schema allows everything. */
export function spoiledOf(schema: JsonSchema, value: Json): Arbitrary<Json> | undefined {
  const ways = spoilings(schema, value, []);
  return ways.length === 0
    ? undefined
    : fc.constantFrom(...ways).map(({ path, to }) => replaced(value, path, to) ?? null);
}

type Path = Spoiling["path"];

function spoilings(schema: JsonSchema, value: Json, path: Path): Spoiling[] {
  const here = wrongValues(schema).map((to) => ({ path, to }));
  if (isList(value)) return [...here, ...inList(schema, value, path)];
  if (typeof value === "object" && value !== null) return [...here, ...inObject(schema, value, path)];
  return here;
}

function inObject(schema: JsonSchema, value: { readonly [name: string]: Json | undefined }, path: Path): Spoiling[] {
  const missing = (schema.required ?? []).filter((name) => schema.properties?.[name]?.default === undefined);
  const gone = missing.map((name): Spoiling => ({ path: [...path, name], to: undefined }));
  const within = Object.entries(value).flatMap(([name, child]) => {
    const field = schema.properties?.[name] ?? schema.additionalProperties;
    return field === undefined || child === undefined ? [] : spoilings(field, child, [...path, name]);
  });
  return [...gone, ...within];
}

function inList(schema: JsonSchema, value: readonly Json[], path: Path): Spoiling[] {
  const { items = {}, minItems = 0, maxItems } = schema;
  const isKeyed = schema["x-kubernetes-list-type"] === "set" || schema["x-kubernetes-list-type"] === "map";
  const [first] = value;
  return [
    ...(isKeyed && first !== undefined ? [{ path, to: [...value, first] }] : []),
    ...(minItems > 0 ? [{ path, to: [] }] : []),
    ...(maxItems !== undefined && first !== undefined
      ? [{ path, to: Array.from({ length: maxItems + 1 }, () => first) }]
      : []),
    ...value.flatMap((item, index) => spoilings(items, item, [...path, index])),
  ];
}

/** Values that a schema rejects, whatever the current value is. */
function wrongValues(schema: JsonSchema): Json[] {
  if (schema["x-kubernetes-preserve-unknown-fields"] === true && schema.type === undefined) return [];
  const { minimum, maximum, minLength = 0, maxLength, pattern } = schema;
  return [
    ...wrongTypes(schema),
    ...(schema.enum !== undefined ? ["none of these"] : []),
    ...(minimum !== undefined ? [minimum - 1] : []),
    ...(maximum !== undefined ? [maximum + 1] : []),
    ...(minLength > 0 ? [""] : []),
    ...(maxLength !== undefined ? ["x".repeat(maxLength + 1)] : []),
    ...(pattern !== undefined ? ["\u0000 does not fit"] : []),
  ];
}

function wrongTypes(schema: JsonSchema): Json[] {
  if (schema["x-kubernetes-int-or-string"] === true) return [true, []];
  if (schema.type === undefined) return [];
  switch (schema.type) {
    case "string":
      return [1, true, []];
    case "integer":
      return ["one", 1.5, {}];
    case "number":
      return ["one", {}];
    case "boolean":
      return ["true", 1];
    case "array":
      return ["a list", { 0: "a" }];
    case "object":
      return ["an object", []];
  }
}

/** A value with another one in one of its places. */
function replaced(value: Json, [at, ...rest]: Path, to: Json | undefined): Json | undefined {
  if (at === undefined) return to;
  if (isList(value)) return value.map((item, index) => (index === at ? (replaced(item, rest, to) ?? null) : item));
  if (typeof value !== "object" || value === null) return value;
  const { [at]: former, ...others } = value as { readonly [name: string]: Json | undefined };
  const next = replaced(former ?? null, rest, to);
  return next === undefined ? others : { ...others, [at]: next };
}

/** The type of Array.isArray does not cover readonly arrays. */
function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
