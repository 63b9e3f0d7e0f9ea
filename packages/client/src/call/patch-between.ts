/** The smallest patch between two objects, as a JSON patch or a merge patch; neither needs a schema. */
import { isDeepEqual } from "@capstan/model";
import type { Json } from "@capstan/model";
import type { JsonPatchStep } from "./write.ts";

interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/**
 * The steps (RFC 6902) from one value to another; none when they are equal. Lists that differ are replaced as a whole.
 *
 * @example
 * const steps = jsonPatchBetween({ replicas: 1 }, { replicas: 3 });
 */
export function jsonPatchBetween<T>(from: T, to: T): readonly JsonPatchStep[] {
  // Kubernetes objects are JSON; their types do not say so because fields may be undefined.
  return stepsBetween(from as Json, to as Json, "");
}

/**
 * The merge patch (RFC 7386) from one object to another, null where a field goes; undefined when they are equal.
 *
 * @example
 * const patch = mergePatchBetween({ replicas: 1, paused: true }, { replicas: 3 });
 */
export function mergePatchBetween<T extends object>(from: T, to: T): object | undefined {
  return mergeBetween(from as unknown as JsonObject, to as unknown as JsonObject);
}

function stepsBetween(from: Json, to: Json, path: string): readonly JsonPatchStep[] {
  if (isDeepEqual(from, to)) return [];
  if (!isObject(from) || !isObject(to)) return [{ op: "replace", path, value: to }];
  const steps: JsonPatchStep[] = [];
  for (const key of Object.keys(from)) {
    if (valueAt(to, key) === undefined && valueAt(from, key) !== undefined) {
      steps.push({ op: "remove", path: `${path}/${escape(key)}` });
    }
  }
  for (const key of Object.keys(to)) {
    const value = valueAt(to, key);
    if (value === undefined) continue;
    const old = valueAt(from, key);
    const place = `${path}/${escape(key)}`;
    if (old === undefined) steps.push({ op: "add", path: place, value });
    else steps.push(...stepsBetween(old, value, place));
  }
  return steps;
}

function mergeBetween(from: JsonObject, to: JsonObject): { [key: string]: Json } | undefined {
  const patch: { [key: string]: Json } = {};
  for (const key of Object.keys(from)) {
    if (valueAt(from, key) !== undefined && valueAt(to, key) === undefined) patch[key] = null;
  }
  for (const key of Object.keys(to)) {
    const [old, value] = [valueAt(from, key), valueAt(to, key)];
    // A merge patch cannot set a field to null, so a new null field is skipped.
    if (value === undefined || (value === null && old === undefined) || isDeepEqual(old, value)) continue;
    const change = old !== undefined && isObject(old) && isObject(value) ? mergeBetween(old, value) : value;
    if (change !== undefined) patch[key] = change;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function valueAt(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function escape(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
