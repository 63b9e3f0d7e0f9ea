/** The JSON patch (RFC 6902) that turns one value into another; lists are replaced as a whole when they differ. */
import { isDeepEqual } from "@capstan/model";
import type { Json } from "@capstan/model";
import type { PatchStep } from "./review.ts";

interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** The steps from `before` to `after`; none when they are equal. Fields that are undefined count as absent. */
export function diffJson(before: Json, after: Json, path = ""): readonly PatchStep[] {
  if (isDeepEqual(before, after)) return [];
  if (!isObject(before) || !isObject(after)) return [{ op: "replace", path, value: after }];
  const steps: PatchStep[] = [];
  for (const key of Object.keys(before)) {
    if (valueAt(after, key) === undefined && valueAt(before, key) !== undefined) {
      steps.push({ op: "remove", path: `${path}/${escape(key)}` });
    }
  }
  for (const key of Object.keys(after)) {
    const value = valueAt(after, key);
    if (value === undefined) continue;
    const old = valueAt(before, key);
    const place = `${path}/${escape(key)}`;
    if (old === undefined) steps.push({ op: "add", path: place, value });
    else steps.push(...diffJson(old, value, place));
  }
  return steps;
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
