/** The strategic merge information of a type: which fields merge, and which key identifies list items. */
import { quote } from "@capstan/model";
import { PatchError } from "../errors.ts";
import type { OpenApiDefinitions, OpenApiSchema } from "../schema/from-openapi.ts";

/** A type as strategic merge sees it: a struct with fields, a list, or neither. */
export type PatchType =
  | { readonly kind: "struct"; readonly name: string; readonly fields: ReadonlyMap<string, PatchField> }
  | { readonly kind: "slice"; readonly element: () => PatchType }
  | { readonly kind: "map" | "string" | "number" | "bool" };

/** A field: its type, its strategy, and the key of its items. */
export interface PatchField {
  readonly type: () => PatchType;
  readonly strategy: "" | "merge" | "replace";
  /** Whether a patch lists the retained fields. */
  readonly retainKeys: boolean;
  readonly mergeKey: string;
}

/** A field with the type for nested merging: its own, or that of its items. */
export interface FoundField extends Omit<PatchField, "type"> {
  readonly type: PatchType;
}

/** The type of a built-in kind, from OpenAPI definitions with `x-kubernetes-patch-*` extensions. */
export function patchTypeFromOpenApi(definitions: OpenApiDefinitions, name: string): PatchType {
  const known = caches.get(definitions) ?? new Map<string, PatchType>();
  caches.set(definitions, known);
  const cached = known.get(name);
  if (cached !== undefined) return cached;
  const type = readType(definitions[name] ?? {}, { definitions, name: name.slice(name.lastIndexOf(".") + 1) });
  known.set(name, type);
  return type;
}

const caches = new WeakMap<OpenApiDefinitions, Map<string, PatchType>>();

interface Context {
  readonly definitions: OpenApiDefinitions;
  readonly name: string;
}

function readType(schema: OpenApiSchema, context: Context): PatchType {
  const ref = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (ref !== undefined) return patchTypeFromOpenApi(context.definitions, ref.slice(ref.lastIndexOf("/") + 1));
  switch (schema.type) {
    case "array": {
      const { items = {} } = schema;
      return { kind: "slice", element: once(() => readType(items, context)) };
    }
    case "string":
      return { kind: "string" };
    case "boolean":
      return { kind: "bool" };
    case "integer":
    case "number":
      return { kind: "number" };
    default:
      if (schema.properties === undefined && schema.additionalProperties !== undefined) return { kind: "map" };
      return { kind: "struct", name: context.name, fields: readFields(schema, context) };
  }
}

function readFields(schema: OpenApiSchema, context: Context): Map<string, PatchField> {
  const fields = new Map<string, PatchField>();
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    const strategies = (member["x-kubernetes-patch-strategy"] ?? "").split(",");
    fields.set(name, {
      type: once(() => readType(member, context)),
      strategy: strategies.includes("merge") ? "merge" : strategies.includes("replace") ? "replace" : "",
      retainKeys: strategies.includes("retainKeys"),
      mergeKey: member["x-kubernetes-patch-merge-key"] ?? "",
    });
  }
  return fields;
}

function once(read: () => PatchType): () => PatchType {
  let type: PatchType | undefined;
  return () => (type ??= read());
}

/** A field whose value is an object. */
export function findField(type: PatchType, name: string): FoundField {
  if (type.kind !== "struct") {
    throw internal(`merging an object in json but data type is not struct, instead is: ${type.kind}`);
  }
  const field = type.fields.get(name);
  if (field !== undefined) return { ...field, type: field.type() };
  throw internal(`unable to find api field in struct ${type.name} for the json field ${quote(name)}`);
}

/** A field whose value is a list; its type is that of the items. */
export function findListField(type: PatchType, name: string): FoundField {
  const field = findField(type, name);
  if (field.type.kind !== "slice") throw internal(`expected slice or array type, but got: ${type.kind}`);
  const element = field.type.element();
  if (element.kind === "slice") throw internal("unexpected slice of slice");
  return { ...field, type: element };
}

function internal(message: string): PatchError {
  return new PatchError("Internal", message);
}
