/** Objects during a request: plain JSON that the request owns and may change. */
import type { DeepMutable, KubeObject } from "@capstan/model";

/** A value of a decoded JSON body; integers beyond the safe range are bigints. */
export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | JsonObject;

/** A JSON object that may be changed. */
export interface JsonObject {
  [field: string]: JsonValue | undefined;
}

/** The deeply mutable form of a readonly type. */
export type Draft<T> = DeepMutable<T>;

/** Any object during a request. */
export type AnyDraft = Draft<KubeObject>;
