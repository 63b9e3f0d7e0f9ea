/** A schema as a value: the TypeScript type of what it describes, and the JSON schema of its CRD. */
import type { Json } from "@capstan/model";
import type { JsonSchema, ValidationRule } from "./json-schema.ts";
import type { Rule } from "./rule.ts";

/** Whether a field must be given: `defaulted` fields may be omitted and are always present when read. */
export type Presence = "required" | "optional" | "defaulted";

/**
 * A schema. `Out` is the type as read from a cluster (defaults filled in, deeply readonly), `In` the type as written. Schemas are
 * immutable: every method returns a new one.
 */
export class Schema<Out = unknown, In = Out, P extends Presence = Presence> {
  /** Never present at run time: it carries the types. */
  declare readonly "~types": { readonly out: Out; readonly in: In; readonly presence: P };
  readonly json: JsonSchema;
  readonly presence: P;

  constructor(json: JsonSchema, presence: P) {
    this.json = json;
    this.presence = presence;
  }

  /** The description that `kubectl explain` shows. */
  describe(text: string): this {
    return this.with({ description: text });
  }

  /** An example value, for documentation. */
  example(value: In & Json): this {
    return this.with({ example: value });
  }

  /** The field may be omitted. */
  optional(): Schema<Out, In, "optional"> {
    return new Schema<Out, In, "optional">(this.json, "optional");
  }

  /** The field may be omitted; the server then fills in this value. */
  default(value: In & Json): Schema<Out, In, "defaulted"> {
    return new Schema<Out, In, "defaulted">({ ...this.json, default: value }, "defaulted");
  }

  /** The field may be null, which differs from omitting it. */
  nullable(): Schema<Out | null, In | null, P> {
    return new Schema<Out | null, In | null, P>({ ...this.json, nullable: true }, this.presence);
  }

  /** Rules in CEL that every value of this field must satisfy. */
  rules(...rules: readonly Rule[]): this {
    return this.with({ "x-kubernetes-validations": [...(this.json["x-kubernetes-validations"] ?? []), ...rules] });
  }

  /** The field cannot be changed once it is set. */
  immutable(message = "cannot be changed once it is set"): this {
    const rule: ValidationRule = { rule: "self == oldSelf", message };
    return this.rules(rule);
  }

  /** A copy of the same class with some keywords replaced. */
  protected with(json: Partial<JsonSchema>): this {
    return Object.assign(Object.create(Object.getPrototypeOf(this)), this, { json: { ...this.json, ...json } });
  }
}

/**
 * The type of what a schema describes, as read.
 *
 * @example
 * const spec = s.object({ size: s.int32().default(1) });
 * const read: Infer<typeof spec> = { size: 3 };
 */
export type Infer<S> = S extends { readonly "~types": { readonly out: infer Out } } ? Out : never;

/**
 * The type of what a schema describes, as written.
 *
 * @example
 * const spec = s.object({ size: s.int32().default(1) });
 * const written: InferInput<typeof spec> = {};
 */
export type InferInput<S> = S extends { readonly "~types": { readonly in: infer In } } ? In : never;
