/** OpenAPI documents of custom kinds. */
import type { Json } from "@capstan/model";
import type { Registry } from "../resources/registry.ts";

/** The documents of groups and versions with custom kinds, by path: `apis/example.com/v1`. */
export function customDocuments(_registry: Registry): ReadonlyMap<string, Json> {
  return new Map();
}

/** The document of version 2 with custom kinds in it. */
export function mergeVersion2(builtin: Json, _custom: ReadonlyMap<string, Json>): Json {
  return builtin;
}
