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

/** An object as read: required fields and fields with a default are present. */
export type OutputOf<F extends Fields> = Flat<
  { readonly [K in KeysWith<F, "required" | "defaulted">]: Infer<F[K]> } & {
    readonly [K in KeysWith<F, "optional">]?: Infer<F[K]>;
  }
>;

/** An object as written: only required fields must be given. */
export type InputOf<F extends Fields> = Flat<
  { readonly [K in KeysWith<F, "required">]: InferInput<F[K]> } & {
    readonly [K in KeysWith<F, "optional" | "defaulted">]?: InferInput<F[K]> | undefined;
  }
>;

/** An object with named fields. The server drops other fields. */
export class ObjectSchema<F extends Fields = Fields> extends Schema<OutputOf<F>, InputOf<F>, "required"> {
  readonly fields: F;

  constructor(fields: F) {
    super(objectJson(fields), "required");
    this.fields = fields;
  }

  /** Unnamed fields are kept. */
  loose(): this {
    return this.with({ "x-kubernetes-preserve-unknown-fields": true });
  }

  /** A manager that applies one field owns the whole object. */
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

/** A list. `set`, `map` or `atomic` (the default) decide how two field managers share it. */
export class ArraySchema<Out, In> extends Schema<readonly Out[], readonly In[], "required"> {
  min(items: number): this {
    return this.with({ minItems: items });
  }

  max(items: number): this {
    return this.with({ maxItems: items });
  }

  /** No value occurs twice, and several field managers may each own some of them. */
  set(): this {
    return this.with({ "x-kubernetes-list-type": "set" });
  }

  /** Items are identified by these fields, and several field managers may each own some of them. */
  map(...keys: readonly (keyof Out & string)[]): this {
    return this.with({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys });
  }

  /** A manager that applies the list owns all of it. */
  atomic(): this {
    return this.with({ "x-kubernetes-list-type": "atomic" });
  }
}

/** A map from strings to one kind of value. */
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
