/** Objects with their version and type, and the way from one version to another. */
import type { Json } from "@capstan/model";
import type { TypeSchema } from "../schema/type-schema.ts";

/** An object in one version, with the type it has there. */
export interface TypedObject {
  readonly apiVersion: string;
  readonly value: Json;
  readonly type: TypeSchema;
}

/** Gives an object in another version; undefined when that version no longer exists. */
export type ConvertTyped = (object: TypedObject, apiVersion: string) => TypedObject | undefined;
