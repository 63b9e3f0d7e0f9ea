/** The schemas of CRDs as flat tables: one entry for each field, with its path. */
import type { CustomResourceDefinition, JSONSchemaProps } from "@capstan/kinds/apiextensions.k8s.io/v1";

/** A schema as JSON. */
export type Schema = Readonly<Record<string, unknown>>;

/** A version of a CRD. */
export type CrdVersion = NonNullable<CustomResourceDefinition["spec"]>["versions"][number];

/** The fields of a version by path, such as `^.spec.size`. */
export function flatten(version: CrdVersion): ReadonlyMap<string, Schema> {
  const found = new Map<string, Schema>();
  const schema: JSONSchemaProps | undefined = version.schema?.openAPIV3Schema;
  if (schema !== undefined) visit({ ...schema }, "^", found);
  return found;
}

function visit(schema: Schema, path: string, found: Map<string, Schema>): void {
  found.set(path, schema);
  for (const [child, at] of childrenOf(schema)) visit(child, path + at, found);
}

/** The schemas within a schema, with what they add to the path. */
function childrenOf(schema: Schema): (readonly [Schema, string])[] {
  const { items } = schema;
  return [
    ...(Array.isArray(items) ? listed(items, ".items") : single(items, ".items")),
    ...listed(schema["allOf"], ".allOf"),
    ...listed(schema["anyOf"], ".anyOf"),
    ...listed(schema["oneOf"], ".oneOf"),
    ...single(schema["not"], ".not"),
    ...keyed(schema["properties"], (name) => `.${name}`),
    ...single(schema["additionalProperties"], ".additionalProperties"),
    ...keyed(schema["patternProperties"], (name) => `.patternProperties[${name}]`),
    ...single(schema["additionalItems"], ".additionalItems"),
    ...keyed(schema["definitions"], (name) => `.definitions[${name}]`),
    ...keyed(schema["dependencies"], (name) => `.dependencies[${name}]`),
  ];
}

function single(value: unknown, at: string): (readonly [Schema, string])[] {
  return isSchema(value) ? [[value, at]] : [];
}

function listed(value: unknown, at: string): (readonly [Schema, string])[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  return list.flatMap((one, index) => single(one, `${at}[${index}]`));
}

function keyed(value: unknown, at: (name: string) => string): (readonly [Schema, string])[] {
  return isSchema(value) ? Object.entries(value).flatMap(([name, one]) => single(one, at(name))) : [];
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
