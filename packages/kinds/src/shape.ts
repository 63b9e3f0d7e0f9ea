/** The few words that the generated types are written with. */
import type { Json } from "@capstan/model";

/** A JSON object of which nothing more is known. */
export type JsonObject = { readonly [key: string]: Json | undefined };

/** An item of a list that is merged by keys: the keys must be there. */
export type Keyed<T, K extends keyof T> = T & { readonly [Key in K]-?: Exclude<T[Key], undefined> };
