/** Schemas of lists, maps and objects. */
import type { Json } from "@capstan/model";
import type { JsonSchema } from "./json-schema.ts";
import { type Infer, type InferInput, type Presence, Schema } from "./schema.ts";

type AnySchema = Schema<unknown, unknown, Presence>;

/** The fields of an object. */
export type Fields = { readonly [name: string]: AnySchema };

type Flat<T> = { [K in keyof T]: T[K] };
type PresenceOf<S> = S extends Schema<infer _Out, infer _In, infer P> ? P : never;
type KeysWith<F extends Fields, P extends Presence> = {
  [K in keyof F]: PresenceOf<F[K]> extends P ? K : never;
}[keyof F];

/** An object as read: what is required or has a default is there. */
export type OutputOf<F extends Fields> = Flat<
  { readonly [K in KeysWith<F, "required" | "defaulted">]: Infer<F[K]> } & {
    readonly [K in KeysWith<F, "optional">]?: Infer<F[K]>;
  }
>;

/** An object as written: only what is required must be given. */
export type InputOf<F extends Fields> = Flat<
  { readonly [K in KeysWith<F, "required">]: InferInput<F[K]> } & {
    readonly [K in KeysWith<F, "optional" | "defaulted">]?: InferInput<F[K]> | undefined;
  }
>;

/** An object with named fields. Fields that are not named are dropped by the server. */
export class ObjectSchema<F extends Fields = Fields> extends Schema<OutputOf<F>, InputOf<F>, "required"> {
  readonly fields: F;

  constructor(fields: F) {
    super(objectJson(fields), "required");
    this.fields = fields;
  }

  /** Fields that are not named are kept as they are. */
  loose(): this {
    return this.with({ "x-kubernetes-preserve-unknown-fields": true });
  }

  /** Whoever applies one field owns the whole object. */
  atomic(): this {
    return this.with({ "x-kubernetes-map-type": "atomic" });
  }

  /** This object with more fields. */
  extend<G extends Fields>(fields: G): ObjectSchema<Omit<F, keyof G> & G> {
    return new ObjectSchema<Omit<F, keyof G> & G>({ ...this.fields, ...fields });
  }
}

export function objectJson(fields: Fields): JsonSchema {
  const required = Object.keys(fields).filter((name) => fields[name]?.presence === "required");
  return {
    type: "object",
    properties: Object.fromEntries(Object.entries(fields).map(([name, { json }]) => [name, json])),
    ...(required.length > 0 ? { required } : {}),
  };
}

/** A list. How two writers share it is said with `set`, `map` or `atomic` (the default). */
export class ArraySchema<Out, In> extends Schema<readonly Out[], readonly In[], "required"> {
  min(items: number): this {
    return this.with({ minItems: items });
  }

  max(items: number): this {
    return this.with({ maxItems: items });
  }

  /** No value occurs twice, and several writers may each own some of them. */
  set(): this {
    return this.with({ "x-kubernetes-list-type": "set" });
  }

  /** Items are known by these fields, and several writers may each own some of them. */
  map(...keys: readonly (keyof Out & string)[]): this {
    return this.with({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys });
  }

  /** Whoever applies the list owns all of it. */
  atomic(): this {
    return this.with({ "x-kubernetes-list-type": "atomic" });
  }
}

/** A map from any text to one kind of value. */
export class RecordSchema<Out, In> extends Schema<
  { readonly [key: string]: Out },
  { readonly [key: string]: In },
  "required"
> {
  min(entries: number): this {
    return this.with({ minProperties: entries });
  }

  max(entries: number): this {
    return this.with({ maxProperties: entries });
  }

  atomic(): this {
    return this.with({ "x-kubernetes-map-type": "atomic" });
  }
}

type Choice<F extends Fields, K extends keyof F, Side extends "out" | "in"> = Flat<
  { readonly [N in K]: Side extends "out" ? Infer<F[N]> : InferInput<F[N]> } & {
    readonly [N in Exclude<keyof F, K>]?: never;
  }
>;

/** Exactly one of the named fields, as a union of types. */
export type OneOf<F extends Fields, Side extends "out" | "in"> = { [K in keyof F]: Choice<F, K, Side> }[keyof F];

export function oneOfSchema<F extends Fields>(fields: F): Schema<OneOf<F, "out">, OneOf<F, "in">, "required"> {
  const names = Object.keys(fields);
  const set = names.map((name) => `has(self.${name})`).join(", ");
  const json: JsonSchema = {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, (fields[name] as AnySchema).json])),
    "x-kubernetes-validations": [
      { rule: `[${set}].exists_one(given, given)`, message: `exactly one of ${names.join(", ")} must be given` },
    ],
  };
  return new Schema<OneOf<F, "out">, OneOf<F, "in">, "required">(json, "required");
}

/** Values of any shape, kept as they are. */
export function anything<T = Json>(): Schema<T, T, "required"> {
  return new Schema<T, T, "required">({ "x-kubernetes-preserve-unknown-fields": true }, "required");
}
