/** Patches and patched documents in errors: in the state that kube-apiserver has left them in. */
import { toGoJson, type Json, type KubeObject } from "@capstan/model";
import { printValue, type JsonObject } from "@capstan/patch";
import type { JsonValue } from "../builtin/draft.ts";
import { sortKeys } from "../custom/sort-keys.ts";
import { showLiterals } from "../decode/number-literal.ts";

type Fields = { readonly [key: string]: JsonValue | undefined };

/** A strategic patch: the merge has removed its directives, and its nulls where the live object has no value. */
export function showStrategic(patch: JsonValue, live: KubeObject): string {
  return printValue(used(patch, live as unknown as JsonValue) as Json);
}

function used(patch: JsonValue, live: JsonValue | undefined): JsonValue {
  if (!isPlain(patch)) return patch;
  const isMerged = isPlain(live);
  const kept = Object.entries(patch).filter(([key, value]) => (isMerged ? !isUsedUp(key, value) : value !== null));
  return Object.fromEntries(kept.map(([key, value]) => [key, used(value ?? null, isMerged ? live[key] : undefined)]));
}

function isUsedUp(key: string, value: JsonValue | undefined): boolean {
  return (key === "$patch" && value === "replace") || key === "$retainKeys" || key.startsWith("$setElementOrder/");
}

/** The JSON text of a patched document. */
export function showDocument(document: JsonObject): string {
  return toGoJson(showLiterals(document));
}

/** Sorts the fields of all objects that the patch touched; others keep their order. */
export function sortTouched(document: JsonObject, kind: "json" | "merge", patch: JsonValue): JsonObject {
  if (Array.isArray(document)) return sortKeys(document as JsonValue) as unknown as JsonObject;
  return sorted(document, kind === "json" ? touchedBy(patch) : patch);
}

/** The objects that the operations of a JSON patch touch, in the form of a merge patch. */
function touchedBy(operations: JsonValue): JsonValue {
  const touched: { [key: string]: JsonValue } = {};
  for (const operation of Array.isArray(operations) ? operations : []) {
    if (!isPlain(operation)) continue;
    for (const pointer of [operation["path"], operation["from"]]) {
      if (typeof pointer === "string") touch(touched, pointer.split("/").slice(1, -1));
    }
  }
  return touched;
}

function touch(touched: { [key: string]: JsonValue }, parts: readonly string[]): void {
  let at = touched;
  for (const part of parts) {
    const below = (at[part.replaceAll("~1", "/").replaceAll("~0", "~")] ??= {});
    at = below as { [key: string]: JsonValue };
  }
}

function sorted(document: JsonObject, patch: JsonValue): JsonObject {
  const touched: Fields = isPlain(patch) ? patch : {};
  const entries = Object.entries(document).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    entries.map(([key, value]) => [key, sortedBelow(value as JsonValue, touched[key])]),
  ) as JsonObject;
}

function sortedBelow(value: JsonValue, part: JsonValue | undefined): JsonValue {
  if (Array.isArray(part)) return sortKeys(value);
  if (!isPlain(part)) return value;
  if (Array.isArray(value)) return value.map((item, index) => sortedBelow(item, part[index]));
  return isPlain(value) ? (sorted(value as JsonObject, part) as JsonValue) : value;
}

function isPlain(value: JsonValue | undefined): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
