/** Reads type schemas from OpenAPI definitions (version 2 or 3) with the `x-kubernetes-*` extensions. */
import type { Json } from "@capstan/model";
import { PatchError } from "../errors.ts";
import { deduced, untypedAtomic, withMapKind } from "./type-schema.ts";
import type { FieldType, ListType, MapType, ScalarKind, TypeRef, TypeSchema } from "./type-schema.ts";

/** The parts of an OpenAPI schema that decide how values are merged. */
export interface OpenApiSchema {
  readonly $ref?: string;
  readonly allOf?: readonly OpenApiSchema[];
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly properties?: { readonly [name: string]: OpenApiSchema };
  readonly additionalProperties?: boolean | OpenApiSchema;
  readonly items?: OpenApiSchema;
  readonly default?: Json;
  readonly required?: readonly string[];
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-int-or-string"?: boolean;
}

/** OpenAPI definitions by name. */
export type OpenApiDefinitions = { readonly [name: string]: OpenApiSchema };

const readers = new WeakMap<OpenApiDefinitions, (name: string) => TypeSchema>();

/** The type of a definition; references are resolved when needed, each definition once. */
export function fromOpenApi(definitions: OpenApiDefinitions, name: string): TypeSchema {
  return readerOf(definitions)(name);
}

/** The type of a schema that stands alone; references lead into the definitions. */
export function fromSchema(schema: OpenApiSchema, options: ReadOptions): TypeSchema {
  return readType(schema, { resolve: readerOf(options.definitions), preserve: options.preserveUnknownFields });
}

/** Options for a lone schema. */
export interface ReadOptions {
  readonly definitions: OpenApiDefinitions;
  readonly preserveUnknownFields: boolean;
}

interface Context {
  readonly resolve: (name: string) => TypeSchema;
  /** Whether fields that are not declared are kept here and below. */
  readonly preserve: boolean;
}

/** Types that the published schemas describe differently from how they merge. */
const knownTypes: Readonly<Record<string, TypeSchema>> = {
  "io.k8s.apimachinery.pkg.api.resource.Quantity": { scalar: "untyped" },
  "io.k8s.apimachinery.pkg.runtime.RawExtension": untypedAtomic,
};

function readerOf(definitions: OpenApiDefinitions): (name: string) => TypeSchema {
  const known = readers.get(definitions);
  if (known !== undefined) return known;
  const types = new Map<string, TypeSchema>(Object.entries(knownTypes));
  const resolve = (name: string): TypeSchema => {
    const cached = types.get(name);
    if (cached !== undefined) return cached;
    const definition = definitions[name];
    if (definition === undefined) throw new PatchError("Internal", `schema error: no type found matching: ${name}`);
    const type = readType(definition, { resolve, preserve: false });
    types.set(name, type);
    return type;
  };
  readers.set(definitions, resolve);
  return resolve;
}

function readType(schema: OpenApiSchema, inherited: Context): TypeSchema {
  const preserves = inherited.preserve || schema["x-kubernetes-preserve-unknown-fields"] === true;
  const context = { ...inherited, preserve: preserves };
  const type = typeof schema.type === "string" ? schema.type : (schema.type?.[0] ?? "");
  switch (type) {
    case "":
      return { scalar: "untyped", list: readList(schema, context), map: readMap(schema, context) };
    case "object":
      return { map: readMap(schema, context) };
    case "array":
      return { list: readList(schema, context) };
    default:
      return { scalar: scalarKind(type, schema.format ?? "") };
  }
}

function scalarKind(type: string, format: string): ScalarKind {
  if (type === "integer" || type === "number") return "numeric";
  if (type === "boolean") return "boolean";
  return type === "string" && (format === "" || format === "byte") ? "string" : "untyped";
}

function readMap(schema: OpenApiSchema, context: Context): MapType {
  const fields = new Map<string, FieldType>();
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    const type = reference(member, context);
    fields.set(name, member.default === undefined ? { type } : { type, default: member.default });
  }
  const element = elementOf(schema, context);
  return {
    kind: schema["x-kubernetes-map-type"] === "atomic" ? "atomic" : "granular",
    fields,
    ...(element && { element }),
    isFreeForm: fields.size === 0 && element !== undefined && isUntyped(schema, element),
  };
}

const deducedRef: TypeRef = () => deduced;
const untypedRef: TypeRef = () => untypedAtomic;

function elementOf(schema: OpenApiSchema, context: Context): TypeRef | undefined {
  const additional = schema.additionalProperties;
  if (additional === undefined) {
    const hasFields = Object.keys(schema.properties ?? {}).length > 0;
    return context.preserve || !hasFields ? deducedRef : undefined;
  }
  if (typeof additional === "object") return reference(additional, context);
  return additional ? deducedRef : undefined;
}

function isUntyped(schema: OpenApiSchema, element: TypeRef): boolean {
  if (element === deducedRef) return true;
  const additional = schema.additionalProperties;
  return typeof additional === "object" && refName(additional) === undefined && element().scalar === "untyped";
}

function readList(schema: OpenApiSchema, context: Context): ListType {
  const element = schema.items === undefined ? untypedRef : reference(schema.items, context);
  return { ...listKind(schema), element };
}

function listKind(schema: OpenApiSchema): Pick<ListType, "kind" | "keys"> {
  const type = schema["x-kubernetes-list-type"];
  if (type === "set") return { kind: "set", keys: [] };
  if (type === "map") return { kind: "map", keys: schema["x-kubernetes-list-map-keys"] ?? [] };
  const strategy = schema["x-kubernetes-patch-strategy"];
  if (type !== undefined || (strategy !== "merge" && strategy !== "merge,retainKeys"))
    return { kind: "atomic", keys: [] };
  const key = schema["x-kubernetes-patch-merge-key"];
  return key === undefined ? { kind: "set", keys: [] } : { kind: "map", keys: [key] };
}

/** The type of a part: a named one, perhaps with another ownership of its parts, or an inline one. */
function reference(schema: OpenApiSchema, context: Context): TypeRef {
  const name = refName(schema);
  if (name === undefined) return once(() => readType(schema, context));
  const kind = schema["x-kubernetes-map-type"];
  if (kind === undefined) return once(() => context.resolve(name));
  return once(() => withMapKind(context.resolve(name), kind === "atomic" ? "atomic" : "granular"));
}

/** The name that a schema refers to, directly or as the only part of an `allOf`. */
function refName(schema: OpenApiSchema): string | undefined {
  const ref = schema.$ref ?? (schema.allOf?.length === 1 ? schema.allOf[0]?.$ref : undefined);
  return ref === undefined ? undefined : ref.slice(ref.lastIndexOf("/") + 1);
}

function once(read: () => TypeSchema): TypeRef {
  let type: TypeSchema | undefined;
  return () => (type ??= read());
}
