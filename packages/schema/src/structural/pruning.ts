/** Drops fields that a structural schema does not know, and returns their paths. Values that need no change are returned as they are. */
import type { Json } from "@capstan/model";

import type { Schema } from "./schema.ts";
import { isJsonObject } from "./schema.ts";

/** A pruned value and the paths of the dropped fields, sorted, such as `spec.list[0].extra`. */
export interface Pruned {
  readonly value: Json;
  readonly unknown: readonly string[];
}

const metaFields: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/** Prunes a value; at the root of a resource (and in embedded resources) apiVersion, kind and metadata always stay. */
export function prune(value: Json, schema: Schema | undefined, isResourceRoot: boolean): Pruned {
  const unknown: string[] = [];
  const root =
    isResourceRoot && schema?.embeddedResource !== true ? { ...schema, embeddedResource: true as const } : schema;
  const pruned = walk(value, root, { path: "", unknown, keepHere: false });
  return { value: pruned, unknown: unknown.sort() };
}

interface Walk {
  readonly path: string;
  readonly unknown: string[];
  /** Inside preserved arrays: unknown fields of this value stay. */
  readonly keepHere: boolean;
}

function walk(value: Json, schema: Schema | undefined, state: Walk): Json {
  if (Array.isArray(value)) return walkArray(value as readonly Json[], schema, state);
  if (!isJsonObject(value)) return value;
  let copy: { [key: string]: Json | undefined } | undefined;
  for (const name of Object.keys(value)) {
    const field = value[name];
    const pruned = field === undefined ? undefined : walkField(name, field, { schema, state });
    if (pruned === field) continue;
    copy ??= { ...value };
    if (pruned === undefined) delete copy[name];
    else copy[name] = pruned;
  }
  return copy ?? value;
}

interface Owner {
  readonly schema: Schema | undefined;
  readonly state: Walk;
}

/** The remainder of a field: nothing if the schema does not know it and does not preserve unknown fields. */
function walkField(name: string, field: Json, { schema, state }: Owner): Json | undefined {
  const path = state.path === "" ? name : `${state.path}.${name}`;
  if (schema === undefined) {
    state.unknown.push(path);
    return undefined;
  }
  if (schema.embeddedResource === true && metaFields.has(name)) return field;
  const inner = schema.properties?.get(name) ?? schema.additionalProperties?.schema;
  if (inner !== undefined || schema.additionalProperties !== undefined)
    return walk(field, inner, { path, unknown: state.unknown, keepHere: false });
  if (state.keepHere || schema.preserveUnknownFields === true) return field;
  if (!metaFields.has(name) || state.path !== "") state.unknown.push(path);
  return undefined;
}

function walkArray(value: readonly Json[], schema: Schema | undefined, state: Walk): Json {
  const keepHere = schema !== undefined && (state.keepHere || schema.preserveUnknownFields === true);
  if (keepHere && schema.items === undefined) return value;
  let copy: Json[] | undefined;
  value.forEach((item, i) => {
    const pruned = walk(item, schema?.items, { path: `${state.path}[${i}]`, unknown: state.unknown, keepHere });
    if (pruned !== item) (copy ??= [...value])[i] = pruned;
  });
  return copy ?? value;
}
