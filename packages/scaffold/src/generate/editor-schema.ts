/** JSON schemas for editors: they complete and check manifests while one writes them. */
import type { JsonSchema, Resource } from "@capstan/schema";
import type { Files } from "../project/render.ts";
import type { Program } from "./program.ts";

/** One file for each version of each resource. */
export function editorSchemas({ resources }: Program): Files {
  return new Map(
    resources.flatMap((resource) =>
      Object.values(resource.versions).map(
        ({ name, schema }) =>
          [
            `${resource.group}/${resource.singular}_${name}.json`,
            `${JSON.stringify(editorSchema(resource, name, schema), undefined, 2)}\n`,
          ] as const,
      ),
    ),
  );
}

function editorSchema({ group, kind }: Resource, version: string, schema: JsonSchema): object {
  const converted = convert(schema) as { properties?: object; required?: readonly string[] };
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: `${kind} ${group}/${version}`,
    ...converted,
    properties: {
      ...converted.properties,
      apiVersion: { type: "string", const: `${group}/${version}` },
      kind: { type: "string", const: kind },
    },
    required: [...new Set(["apiVersion", "kind", "metadata", ...(converted.required ?? [])])],
  };
}

/** Converts OpenAPI's nullable and exclusive bounds to JSON schema; unknown fields are errors in an editor. */
function convert(schema: JsonSchema): object {
  const { nullable, exclusiveMinimum, exclusiveMaximum, minimum, maximum, ...rest } = schema;
  const kept = Object.entries(rest).filter(([name]) => !name.startsWith("x-kubernetes-") && !nested.has(name));
  const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true || schema.additionalProperties !== undefined;
  const { type } = schema;
  return {
    ...Object.fromEntries(kept),
    ...(minimum === undefined ? {} : { [exclusiveMinimum === true ? "exclusiveMinimum" : "minimum"]: minimum }),
    ...(maximum === undefined ? {} : { [exclusiveMaximum === true ? "exclusiveMaximum" : "maximum"]: maximum }),
    ...(nullable === true && type !== undefined ? { type: [type, "null"] } : {}),
    ...(schema.properties === undefined ? {} : { properties: mapValues(schema.properties, convert) }),
    ...(schema.properties !== undefined && !isOpen ? { additionalProperties: false } : {}),
    ...(schema.additionalProperties === undefined
      ? {}
      : { additionalProperties: convert(schema.additionalProperties) }),
    ...(schema.items === undefined ? {} : { items: convert(schema.items) }),
    ...(schema["x-kubernetes-int-or-string"] === true ? { type: ["integer", "string"] } : {}),
  };
}

/** Keywords that hold schemas and are converted apart, or that say the same again. */
const nested: ReadonlySet<string> = new Set([
  "properties",
  "additionalProperties",
  "items",
  "anyOf",
  "allOf",
  "oneOf",
  "not",
]);

function mapValues<T, R>(record: { readonly [name: string]: T }, change: (value: T) => R): { [name: string]: R } {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}
