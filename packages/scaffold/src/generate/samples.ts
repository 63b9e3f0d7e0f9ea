/** An object of a resource to try it with: required fields get a value that the schema accepts, the rest is left to defaults. */
import type { Json } from "@capstan/model";
import type { JsonSchema, Resource } from "@capstan/schema";
import type { Manifest } from "./manifest.ts";

/** A sample of a resource, in its stored version unless another is named. */
export function sampleOf(resource: Resource, version: string = resource.version): Manifest {
  const { group, kind, singular, versions } = resource;
  const spec = versions[version]?.schema.properties?.["spec"] ?? {};
  return {
    apiVersion: `${group}/${version}`,
    kind,
    metadata: { name: `${singular}-sample` },
    spec: exampleOf(spec, "top"),
  };
}

/** A value for a schema. Top-level fields show their defaults, so that the reader sees the options. */
function exampleOf(schema: JsonSchema, level: "top" | "below"): Json {
  if (schema.example !== undefined) return schema.example;
  if (level === "below" && schema.default !== undefined) return schema.default;
  if (schema.enum?.[0] !== undefined) return schema.enum[0];
  if (schema.type === "object") return objectExample(schema, level);
  return schema.type === "array" ? listExample(schema) : scalarExample(schema);
}

function listExample({ items, minItems = 0 }: JsonSchema): Json {
  return items !== undefined && minItems > 0 ? [exampleOf(items, "below")] : [];
}

/** Texts of the forms that schemas ask for most. */
const texts = [
  "example",
  "1",
  "1s",
  "10m",
  "1Gi",
  "v1",
  "a",
  "A",
  "example.com",
  "https://example.com",
  "2006-01-02T15:04:05Z",
  "* * * * *",
  "1.2.3",
  "/example",
];

function textExample({ pattern, minLength = 0, maxLength = Number.MAX_SAFE_INTEGER }: JsonSchema): string {
  const fits = (text: string): boolean =>
    text.length >= minLength &&
    text.length <= maxLength &&
    (pattern === undefined || new RegExp(pattern, "u").test(text));
  try {
    return texts.find(fits) ?? "x".repeat(minLength);
  } catch {
    // A pattern that JavaScript does not support.
    return "example";
  }
}

function scalarExample(schema: JsonSchema): Json {
  const { type, minimum = 0 } = schema;
  switch (type) {
    case "integer":
    case "number":
      return minimum;
    case "boolean":
      return false;
    default:
      return textExample(schema);
  }
}

function objectExample({ properties = {}, required = [] }: JsonSchema, level: "top" | "below"): Json {
  const shown = Object.entries(properties).filter(
    ([name, schema]) =>
      required.includes(name) || (level === "top" && (schema.default !== undefined || schema.example !== undefined)),
  );
  return Object.fromEntries(shown.map(([name, schema]) => [name, exampleOf(schema, "below")]));
}
