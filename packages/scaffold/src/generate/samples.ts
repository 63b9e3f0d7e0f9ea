/** An object of a resource to try it with: required fields get a value that the schema accepts, the rest is left to defaults. */
import type { Json } from "@capstan/model";
import type { JsonSchema, Resource } from "@capstan/schema";
import type { Manifest } from "./objects.ts";

/** A sample of a resource in its stored version. */
export function sampleOf(resource: Resource): Manifest {
  const { group, version, kind, singular, versions } = resource;
  const spec = versions[version]?.schema.properties?.["spec"] ?? {};
  return {
    apiVersion: `${group}/${version}`,
    kind,
    metadata: { name: `${singular}-sample` },
    spec: exampleOf(spec, "top"),
  };
}

/** A value for a schema. Fields of the top level show their defaults, so that a reader sees what can be said. */
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

function scalarExample({ type, minimum = 0, minLength = 0 }: JsonSchema): Json {
  switch (type) {
    case "integer":
    case "number":
      return minimum;
    case "boolean":
      return false;
    default:
      return "x".repeat(minLength) || "example";
  }
}

function objectExample({ properties = {}, required = [] }: JsonSchema, level: "top" | "below"): Json {
  const shown = Object.entries(properties).filter(
    ([name, schema]) =>
      required.includes(name) || (level === "top" && (schema.default !== undefined || schema.example !== undefined)),
  );
  return Object.fromEntries(shown.map(([name, schema]) => [name, exampleOf(schema, "below")]));
}
