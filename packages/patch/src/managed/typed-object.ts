/** Objects with their version and type, and conversion between versions. */
import type { Json } from "@capstan/model";
import type { TypeSchema } from "../schema/type-schema.ts";

/** An object in one version, with the type it has there. */
export interface TypedObject {
  readonly apiVersion: string;
  readonly value: Json;
  readonly type: TypeSchema;
}

/** Converts an object to another version; undefined when that version no longer exists. */
export type ConvertTyped = (object: TypedObject, apiVersion: string) => TypedObject | undefined;
