/** What a manager applied, taken from the live object: the start of a read-modify-apply. */
import { leavesOf } from "../fields/field-set.ts";
import { decodeFields } from "../fields/fields-v1.ts";
import { isObject, type JsonObject } from "../json-value.ts";
import type { TypeSchema } from "../schema/type-schema.ts";
import { extractFields } from "../typed/remove.ts";
import { managedOf } from "./metadata.ts";

/** The manager to extract the configuration of. */
export interface ExtractOptions {
  readonly manager: string;
  readonly subresource?: string;
  readonly schema: TypeSchema;
}

/** The fields of an object that a manager applied, with the object's kind; undefined when it applied none. */
export function extractApplied(object: JsonObject, options: ExtractOptions): JsonObject | undefined {
  const entry = managedOf(object)?.find(
    ({ manager, operation, subresource = "" }) =>
      manager === options.manager && operation === "Apply" && subresource === (options.subresource ?? ""),
  );
  const fields = entry && decodeFields(entry.fieldsV1);
  if (fields === undefined || "error" in fields) return undefined;
  const extracted = extractFields(object, leavesOf(fields), options.schema);
  const { apiVersion, kind } = object;
  return { apiVersion, kind, ...(isObject(extracted) ? extracted : {}) };
}
