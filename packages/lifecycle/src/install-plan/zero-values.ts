/** A ClusterServiceVersion as a typed client writes it: a required field that the author left out has the zero of its type. */
import type { Manifest } from "../csv/permissions.ts";
import { olmDefinitions } from "../definitions/definitions.ts";

/** The part of a schema that says what is required. */
interface Schema {
  readonly type?: string;
  readonly properties?: { readonly [name: string]: Schema };
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly nullable?: boolean;
}

let known: Schema | undefined;

function csvSchema(): Schema {
  if (known !== undefined) return known;
  const definition = olmDefinitions().find(({ spec }) => spec.names.kind === "ClusterServiceVersion");
  // The schema of a CRD is an OpenAPI schema.
  known = (definition?.spec.versions[0]?.schema?.openAPIV3Schema ?? {}) as Schema;
  return known;
}

/**
 * Catalogs have ClusterServiceVersions without names of resources or icons without media types, and with nulls. The original reads them
 * into its types and writes them from there, so the server accepts them.
 */
export function withZeroValues(csv: Manifest): Manifest {
  const { spec } = csvSchema().properties ?? {};
  return spec === undefined ? csv : ({ ...csv, spec: filled(csv["spec"], spec) } as Manifest);
}

function filled(value: unknown, schema: Schema): unknown {
  if (Array.isArray(value))
    return schema.items === undefined ? value : value.map((each) => filled(each, schema.items ?? {}));
  if (typeof value !== "object" || value === null) return value;
  const { properties, required = [], additionalProperties } = schema;
  if (properties === undefined) {
    if (typeof additionalProperties !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, filled(each, additionalProperties)]));
  }
  const given = Object.entries(value as { readonly [field: string]: unknown })
    .filter(([name, each]) => each !== null || properties[name] === undefined)
    .map(([name, each]) => [name, filled(each, properties[name] ?? {})] as const);
  const names = new Set(given.map(([name]) => name));
  const missing = required.filter((name) => !names.has(name)).map((name) => [name, zeroOf(properties[name])] as const);
  return Object.fromEntries([...given, ...missing.filter(([, zero]) => zero !== undefined)]);
}

function zeroOf(schema: Schema | undefined): unknown {
  switch (schema?.type) {
    case "string":
      return "";
    case "boolean":
      return false;
    case "integer":
    case "number":
      return 0;
    default:
      // Without a list or an object, the server says what is missing.
      return undefined;
  }
}
