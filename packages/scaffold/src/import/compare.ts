/** Compares the CRD of a definition with the one that it was imported from: what differs in meaning is named by its path. */
import { isDeepStrictEqual } from "node:util";
import type { CustomResourceDefinition, JsonSchema } from "@capstan/schema";
import type { CrdInput } from "./crd-input.ts";
import { topKeywords } from "./differences.ts";
import { normalizeSchema } from "./normalize.ts";

/** The differences between the generated CRD and the requested one, except known limitations. */
export function compareCrds(asked: CrdInput, made: CustomResourceDefinition): string[] {
  const names = (["kind", "plural"] as const).filter((name) => asked.spec.names[name] !== made.spec.names[name]);
  const head = (["group", "scope"] as const).filter((name) => asked.spec[name] !== made.spec[name]);
  const versions = asked.spec.versions.flatMap((version) => {
    const other = made.spec.versions.find(({ name }) => name === version.name);
    if (other === undefined) return [`the version ${version.name}`];
    const is = normalizeSchema(other.schema.openAPIV3Schema).properties ?? {};
    const was = normalizeSchema(version.schema?.openAPIV3Schema ?? {}).properties ?? {};
    return [
      ...partDifferences(`spec in ${version.name}`, was["spec"], is["spec"]),
      ...partDifferences(
        `status in ${version.name}`,
        withoutGeneration(was["status"]),
        withoutGeneration(is["status"]),
      ),
    ];
  });
  return [...new Set([...head, ...names, ...versions])];
}

/** Every definition adds observedGeneration to the status with its own description. */
function withoutGeneration(status: JsonSchema | undefined): JsonSchema | undefined {
  if (status?.properties === undefined) return status;
  const { observedGeneration: _, ...properties } = status.properties;
  return { ...status, properties };
}

/** The top level supports fewer keywords; missing ones are reported elsewhere. */
function partDifferences(path: string, asked: JsonSchema | undefined, made: JsonSchema | undefined): string[] {
  const top = (schema: JsonSchema = {}): JsonSchema => {
    const known = Object.entries(schema).filter(([name]) => topKeywords.has(name) && name !== "default");
    return Object.fromEntries(known) as JsonSchema;
  };
  return schemaDifferences(path, top({ type: "object", ...asked }), top({ type: "object", ...made }));
}

const apart: ReadonlySet<string> = new Set(["properties", "items", "additionalProperties", "required", "default"]);

function schemaDifferences(path: string, asked: JsonSchema, made: JsonSchema): string[] {
  const keywords = [...new Set([...Object.keys(asked), ...Object.keys(made)])] as (keyof JsonSchema)[];
  const said = keywords.filter((name) => !apart.has(name) && !isDeepStrictEqual(asked[name], made[name]));
  return [
    ...said.map((name) => `${name} of ${path}`),
    ...(isDeepStrictEqual(demandsOf(asked), demandsOf(made)) ? [] : [`required of ${path}`]),
    ...(isDeepStrictEqual(filled(asked.default, asked), filled(made.default, made)) ? [] : [`default of ${path}`]),
    ...fieldDifferences(path, asked.properties ?? {}, made.properties ?? {}),
    ...innerDifferences(`the items of ${path}`, asked.items, made.items),
    ...innerDifferences(`the values of ${path}`, asked.additionalProperties, made.additionalProperties),
  ];
}

interface Fields {
  readonly [name: string]: JsonSchema;
}

function fieldDifferences(path: string, asked: Fields, made: Fields): string[] {
  const own = (fields: Fields, name: string): JsonSchema | undefined =>
    Object.hasOwn(fields, name) ? fields[name] : undefined;
  return [...new Set([...Object.keys(asked), ...Object.keys(made)])].flatMap((name) =>
    innerDifferences(`${name} of ${path}`, own(asked, name), own(made, name)),
  );
}

function innerDifferences(path: string, asked: JsonSchema | undefined, made: JsonSchema | undefined): string[] {
  if (asked === undefined || made === undefined) return asked === made ? [] : [path];
  if (typeof asked !== "object" || typeof made !== "object") return asked === made ? [] : [path];
  return schemaDifferences(path, asked, made);
}

/** What has a default is never missing, so it does not matter whether it is required. */
function demandsOf({ required = [], properties = {} }: JsonSchema): readonly string[] {
  return required.filter((name) => properties[name]?.default === undefined).sort();
}

/** A default with what the server adds to it from the defaults below. */
function filled(value: unknown, schema: JsonSchema): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const given = value as { readonly [name: string]: unknown };
  const more = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const inner = given[name] ?? field.default;
    return inner === undefined ? [] : [[name, filled(inner, field)] as const];
  });
  return { ...given, ...Object.fromEntries(more) };
}
