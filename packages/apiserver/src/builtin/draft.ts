/** Objects on their way through a request: plain JSON that the request owns and may change. */
import type { DeepMutable, KubeObject } from "@capstan/model";

/** A value that came out of a JSON body; integers that are no exact numbers are bigints. */
export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | JsonObject;

/** A JSON object that may be changed. */
export interface JsonObject {
  [field: string]: JsonValue | undefined;
}

/** The changeable form of a type whose fields are readonly, all the way down. */
export type Draft<T> = DeepMutable<T>;

/** Any object on its way through a request. */
export type AnyDraft = Draft<KubeObject>;
