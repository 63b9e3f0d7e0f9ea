/** The helper types of the generated types. */
import type { Json } from "@capstan/model";

/** A JSON object of unknown structure. */
export type JsonObject = { readonly [key: string]: Json | undefined };

/** An item of a list that is merged by keys: the keys are required. */
export type Keyed<T, K extends keyof T> = T & { readonly [Key in K]-?: Exclude<T[Key], undefined> };
