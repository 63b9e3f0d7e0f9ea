/** The functions that users write schemas with. */
import type { KubeObject } from "@capstan/model";
import {
  anything,
  ArraySchema,
  type Fields,
  ObjectSchema,
  oneOfSchema,
  RecordSchema,
  type OneOf,
} from "./collections.ts";
import type { JsonSchema } from "./json-schema.ts";
import { atLeastOneOf, atMostOneOf, type Rule, rule, type RuleReport } from "./rule.ts";
import { NumberSchema, StringSchema } from "./scalars.ts";
import { type Infer, type InferInput, type Presence, Schema } from "./schema.ts";

/** A LabelSelector in a spec. */
export interface LabelSelectorValue {
  readonly matchLabels?: { readonly [key: string]: string };
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
    readonly values?: readonly string[];
  }[];
}

interface Words {
  string(): StringSchema;
  boolean(): Schema<boolean, boolean, "required">;
  /** A 32-bit integer. */
  int32(): NumberSchema;
  /** A 64-bit integer; JavaScript is exact up to 2^53. */
  int64(): NumberSchema;
  number(): NumberSchema;
  /** One of these strings. */
  enum<const T extends string>(...values: readonly [T, ...T[]]): Schema<T, T, "required">;
  /** An amount such as `500m`, `2Gi` or `1e3`. */
  quantity(): Schema<string | number, string | number, "required">;
  /** A span of time such as `1h30m`. */
  duration(): StringSchema;
  /** A time, as in `2026-01-31T12:00:00Z`. */
  timestamp(): StringSchema;
  /** A number or a string, like ports and percentages. */
  intOrString(): Schema<number | string, number | string, "required">;
  object<const F extends Fields>(fields: F): ObjectSchema<F>;
  array<S extends Schema<unknown, unknown, Presence>>(items: S): ArraySchema<Infer<S>, InferInput<S>>;
  /** A map from strings to one kind of value. */
  record<S extends Schema<unknown, unknown, Presence>>(values: S): RecordSchema<Infer<S>, InferInput<S>>;
  /** Exactly one of these fields. */
  oneOf<const F extends Fields>(fields: F): Schema<OneOf<F, "out">, OneOf<F, "in">, "required">;
  /** A selector over labels, as in Deployments. */
  labelSelector(): Schema<LabelSelectorValue, LabelSelectorValue, "required">;
  /** A whole Kubernetes object inside this one. */
  embedded<T extends KubeObject = KubeObject>(): Schema<T, T, "required">;
  /** Any value, kept as it is: you declare its type. */
  unknown<T = unknown>(): Schema<T, T, "required">;
  /** A structural schema that you provide, with the type that you declare for it. */
  custom<T>(json: JsonSchema): Schema<T, T, "required">;
  rule(expression: string, report: string | RuleReport): Rule;
  /** A rule: at most one of these optional fields. */
  atMostOneOf(...fields: readonly [string, string, ...string[]]): Rule;
  /** A rule: at least one of these optional fields. */
  atLeastOneOf(...fields: readonly [string, string, ...string[]]): Rule;
}

const integer = (format: "int32" | "int64"): NumberSchema => new NumberSchema({ type: "integer", format }, "required");
const text = (json: JsonSchema = {}): StringSchema => new StringSchema({ type: "string", ...json }, "required");

// The API server's own pattern for quantities, as built-in kinds publish it.
const quantityPattern = String.raw`^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`;

const expression: JsonSchema = {
  type: "object",
  required: ["key", "operator"],
  properties: {
    key: { type: "string" },
    operator: { type: "string", enum: ["In", "NotIn", "Exists", "DoesNotExist"] },
    values: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "atomic" },
  },
};

/**
 * The words that users write schemas with: `s.object({ size: s.int32().min(0).default(1) })`.
 *
 * @example
 * const spec = s.object({
 *   size: s.int32().min(0).max(100).default(1),
 *   mode: s.enum("standalone", "cluster").default("standalone"),
 *   labels: s.record(s.string()).optional(),
 * });
 */
export const s: Words = {
  string: () => text(),
  boolean: () => new Schema<boolean, boolean, "required">({ type: "boolean" }, "required"),
  int32: () => integer("int32"),
  int64: () => integer("int64"),
  number: () => new NumberSchema({ type: "number" }, "required"),
  enum: <const T extends string>(...values: readonly [T, ...T[]]) =>
    new Schema<T, T, "required">({ type: "string", enum: values }, "required"),
  quantity: () =>
    new Schema<string | number, string | number, "required">(
      {
        anyOf: [{ type: "integer" }, { type: "string" }],
        pattern: quantityPattern,
        "x-kubernetes-int-or-string": true,
      },
      "required",
    ),
  duration: () => text({ format: "duration" }),
  timestamp: () => text({ format: "date-time" }),
  intOrString: () =>
    new Schema<number | string, number | string, "required">(
      { anyOf: [{ type: "integer" }, { type: "string" }], "x-kubernetes-int-or-string": true },
      "required",
    ),
  object: <const F extends Fields>(fields: F) => new ObjectSchema(fields),
  array: <S extends Schema<unknown, unknown, Presence>>(items: S) =>
    new ArraySchema<Infer<S>, InferInput<S>>({ type: "array", items: items.json }, "required"),
  record: <S extends Schema<unknown, unknown, Presence>>(values: S) =>
    new RecordSchema<Infer<S>, InferInput<S>>({ type: "object", additionalProperties: values.json }, "required"),
  oneOf: oneOfSchema,
  labelSelector: () =>
    new Schema<LabelSelectorValue, LabelSelectorValue, "required">(
      {
        type: "object",
        properties: {
          matchLabels: { type: "object", additionalProperties: { type: "string" } },
          matchExpressions: { type: "array", items: expression, "x-kubernetes-list-type": "atomic" },
        },
        "x-kubernetes-map-type": "atomic",
      },
      "required",
    ),
  embedded: <T extends KubeObject = KubeObject>() =>
    new Schema<T, T, "required">(
      { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
      "required",
    ),
  unknown: anything,
  custom: <T>(json: JsonSchema) => new Schema<T, T, "required">(json, "required"),
  rule,
  atMostOneOf,
  atLeastOneOf,
};
