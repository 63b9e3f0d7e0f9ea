/** Values as kube-apiserver shows them in errors: the internal types, with Go's names and every field. */
import { toGoJson, type Json } from "@capstan/model";
import { givenOrNull } from "../given-empty.ts";
import { text } from "./internal-types.ts";
import { unifiedDiff } from "./unified-diff.ts";

type Field = readonly [goName: string, jsonName: string, type: string];
type Fields = { readonly [name: string]: unknown };

let table: Readonly<Record<string, readonly Field[]>> | undefined;

function fieldsOf(type: string): readonly Field[] {
  table ??= JSON.parse(text) as Record<string, Field[]>;
  return table[type] ?? [];
}

/** The value of a core type, as it appears in messages. */
export function toInternal(type: string, value: object): Json {
  return structOf(type, value as Fields);
}

/** A list of such values; an absent one is null. */
export function toInternalList(type: string, values: readonly object[] | undefined): Json {
  return values === undefined ? null : values.map((value) => toInternal(type, value));
}

function structOf(type: string, value: Fields): Json {
  const result: Record<string, Json> = {};
  for (const [goName, jsonName, fieldType] of fieldsOf(type)) {
    result[goName] = convert(fieldType, jsonName === "" ? undefined : (givenOrNull(value, jsonName) ?? undefined));
  }
  if (type === "PodSpec") hoistHostFields(result, value);
  return result;
}

/** The internal type has these fields in the security context; the API has them in the pod spec. */
function hoistHostFields(result: Record<string, Json>, { hostNetwork, hostPID, hostIPC, ...spec }: Fields): void {
  const context = result["SecurityContext"];
  if (typeof context !== "object" || context === null || Array.isArray(context)) return;
  const hoisted = {
    HostNetwork: hostNetwork === true,
    HostPID: hostPID === true,
    HostIPC: hostIPC === true,
    ShareProcessNamespace: asJson(spec["shareProcessNamespace"]),
    HostUsers: asJson(spec["hostUsers"]),
  };
  result["SecurityContext"] = Object.assign(context as Record<string, Json>, hoisted);
}

function asJson(value: unknown): Json {
  return (value ?? null) as Json;
}

function convert(type: string, value: unknown): Json {
  if (type.startsWith("*")) return value === undefined ? null : convert(type.slice(1), value);
  if (type.startsWith("[]")) {
    return value === undefined ? null : (value as unknown[]).map((item) => convert(type.slice(2), item));
  }
  if (type.startsWith("{}")) {
    if (value === undefined) return null;
    return Object.fromEntries(
      Object.entries(value as Fields)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, part]) => [key, convert(type.slice(2), part)]),
    );
  }
  if (type.startsWith("@")) return structOf(type.slice(1), (value ?? {}) as Fields);
  return value === undefined ? zeroOf(type) : (value as Json);
}

function zeroOf(type: string): Json {
  switch (type) {
    case "string":
      return "";
    case "bool":
      return false;
    case "quantity":
      return "0";
    case "number":
    case "intOrString":
      return 0;
    case "as-is":
      return {};
    default:
      return null;
  }
}

/** The difference of two values in the format of kube-apiserver. */
export function internalDiff(type: string, before: object, after: object): string {
  return unifiedDiff(prettyJson(toInternal(type, before)), prettyJson(toInternal(type, after)));
}

/** An object with metadata, in any form. */
export interface WithMetadata {
  readonly metadata: object;
  readonly [field: string]: unknown;
}

/** The difference of two whole objects, which begin with their metadata. */
export function internalObjectDiff(type: string, before: WithMetadata, after: WithMetadata): string {
  const whole = (object: WithMetadata): Json => Object.assign(metadataOf(object), toInternal(type, object));
  return unifiedDiff(prettyJson(whole(before)), prettyJson(whole(after)));
}

/** The fields of metadata in Go's order. */
const metadataFields = [
  "name",
  "generateName",
  "namespace",
  "selfLink",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "labels",
  "annotations",
  "ownerReferences",
  "finalizers",
];

function metadataOf({ metadata }: WithMetadata): Record<string, Json> {
  const entries = metadataFields.map((name) => [name, asJson((metadata as Fields)[name])] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== null));
}

/** Multi-line JSON, indented by one space. */
function prettyJson(value: Json): string {
  return toIndented(value, "");
}

function toIndented(value: Json, indent: string): string {
  if (typeof value !== "object" || value === null) return toGoJson(value);
  const inner = `${indent} `;
  if (Array.isArray(value)) {
    if (value.length === 0) return "[]";
    return `[\n${value.map((item) => inner + toIndented(item, inner)).join(",\n")}\n${indent}]`;
  }
  const entries = Object.entries(value);
  if (entries.length === 0) return "{}";
  const lines = entries.map(([key, part]) => `${inner}${toGoJson(key)}: ${toIndented(part ?? null, inner)}`);
  return `{\n${lines.join(",\n")}\n${indent}}`;
}
