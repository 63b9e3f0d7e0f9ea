/** One version of a custom resource, from its schema: decodes, defaults and validates objects like the server. */
import type { FieldError, Json } from "@capstan/model";
import { checkDns1123Subdomain } from "@capstan/model";

import { correlate, correlateKey } from "./correlation.ts";
import { applyDefaults, dropRefusedNulls } from "./defaulting.ts";
import { coerceEmbedded, validateEmbedded } from "./embedded.ts";
import { child, invalid } from "./field-error.ts";
import { validateListTypes } from "./list-types.ts";
import { decodeObjectMeta } from "./object-meta-decode.ts";
import { maskTrailingDash, validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";
import { prune } from "./pruning.ts";
import type { ScalePaths } from "./scale.ts";
import { scaleSpecErrors, scaleStatusErrors } from "./scale.ts";
import type { RuleRun } from "./rule-validator.ts";
import { compileRuleValidator } from "./rule-validator.ts";
import type { Schema } from "./schema.ts";
import { isJsonObject } from "./schema.ts";
import { compileValidator } from "./validator.ts";

/** A decoded object: pruned, with embedded metadata decoded, and the paths of unknown fields. */
export type Decoded =
  | { readonly object: Json; readonly unknown: readonly string[] }
  /** The error of an embedded object is also reported as an error of its field. */
  | { readonly problem: string; readonly error?: FieldError };

/** The names of a resource and its scope. */
export interface ResourceNames {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** The paths of the scale subresource, if any. */
  readonly scale?: ScalePaths;
}

/** Called with failures of unchanged values in an update. */
export type Warn = (message: string) => void;

/** The treatment of nulls that are not allowed: they are dropped, or they stay and are errors. */
export type RefusedNulls = "drop" | "keep";

/** A version of a resource that can validate objects. */
export interface CompiledResource {
  /** Prunes, drops nulls that are not allowed, unless they are to be reported, and decodes metadata; returns the unknown fields. */
  readonly decode: (object: Json, refusedNulls?: RefusedNulls) => Decoded;
  /** Fills in the defaults. */
  readonly applyDefaults: (object: Json) => Json;
  /** All errors of a new object. */
  readonly validate: (object: Json) => FieldError[];
  /** All errors of an object that replaces another. */
  readonly validateUpdate: (object: Json, old: Json, warn?: Warn) => FieldError[];
  /** All errors of an object whose status replaces that of another. */
  readonly validateStatusUpdate: (object: Json, old: Json, warn?: Warn) => FieldError[];
}

/** Creates a resource from a schema. Nothing is compiled before it is needed. */
export function compileResource(schema: Schema, names: ResourceNames): CompiledResource {
  const validator = compileValidator(schema);
  const status = schema.properties?.get("status");
  const statusValidator = status === undefined ? undefined : compileValidator(status);
  const withRules = ruleStep(schema);
  const scaled = (object: Json): FieldError[] => [
    ...scaleSpecErrors(object, names.scale),
    ...scaleStatusErrors(object, names.scale),
  ];
  return {
    decode: (object, refusedNulls = "drop") => decode(object, schema, refusedNulls),
    applyDefaults: (object) => applyDefaults(object, schema),
    validate: (object) => {
      const types = typeMetaErrors(object, names);
      const errors = types.length > 0 ? types : [...metaErrors(object, names), ...validator(object), ...scaled(object)];
      const rest = [...validateEmbedded(object, schema), ...validateListTypes(schema, object)];
      return withRules([...errors, ...rest], object, {});
    },
    validateUpdate: (object, old, warn = ignore) => {
      const correlation = correlate(object, old, schema);
      const types = typeMetaErrors(object, names);
      const errors =
        types.length > 0
          ? types
          : [...metaUpdateErrors(object, old), ...validator(object, { correlation }), ...scaled(object)];
      const rest = [...validateEmbedded(object, schema), ...newDuplicates(schema, object, old)];
      return withRules([...errors, ...rest], object, { old, correlation, warn });
    },
    validateStatusUpdate: (object, old, warn = ignore) => {
      const correlation = correlate(object, old, schema);
      const types = typeMetaErrors(object, names);
      const value = fieldOf(object, "status");
      const found =
        value === undefined
          ? []
          : (statusValidator?.(value, { path: "status", correlation: correlateKey(correlation, "status") }) ?? []);
      const errors =
        types.length > 0
          ? types
          : [...metaUpdateErrors(object, old), ...found, ...scaleStatusErrors(object, names.scale)];
      return withRules([...errors, ...newDuplicates(schema, object, old)], object, { old, correlation, warn });
    },
  };
}

function ignore(): void {}

/** Duplicates are tolerated in an update of an object that had some before. */
function newDuplicates(schema: Schema, object: Json, old: Json): FieldError[] {
  const errors = validateListTypes(schema, object);
  return errors.length > 0 && validateListTypes(schema, old).length > 0 ? [] : errors;
}

/** Adds the errors of rules; they are not run on objects with too many other errors. */
function ruleStep(schema: Schema): (errors: FieldError[], object: Json, run: RuleRun) => FieldError[] {
  const rules = compileRuleValidator(schema, true);
  if (rules === undefined) return (errors) => errors;
  return (errors, object, run) => [...errors, ...(isBlocked(errors) ? [rulesSkipped] : rules(object, run).errors)];
}

function fieldOf(object: Json, name: string): Json | undefined {
  return isJsonObject(object) ? object[name] : undefined;
}

function decode(object: Json, schema: Schema, refusedNulls: RefusedNulls): Decoded {
  const metadata = fieldOf(object, "metadata");
  const meta = metadata === undefined ? undefined : decodeObjectMeta(metadata);
  if (meta !== undefined && "problem" in meta) return { problem: meta.problem };
  const pruned = prune(object, schema, true);
  const kept = refusedNulls === "drop" ? dropRefusedNulls(pruned.value, schema) : pruned.value;
  const coerced = coerceEmbedded(kept, schema);
  const { error } = coerced;
  if (error !== undefined) return { problem: `${error.field}: ${error.body}`, error };
  // In the order of the steps, and within a step by field name.
  const unknown = [
    ...(meta?.unknown ?? []).map((key) => `metadata.${key}`).sort(),
    ...[...pruned.unknown].sort(),
    ...[...coerced.unknown].sort(),
  ];
  const read =
    meta === undefined || !isJsonObject(coerced.value) ? coerced.value : { ...coerced.value, metadata: meta.meta };
  return { object: read, unknown };
}

function typeMetaErrors(object: Json, { group, version, kind }: ResourceNames): FieldError[] {
  const errors: FieldError[] = [];
  const [givenKind, givenVersion] = [fieldOf(object, "kind") ?? "", fieldOf(object, "apiVersion") ?? ""];
  if (givenKind !== kind) errors.push(invalid("kind", givenKind, `must be ${kind}`));
  if (givenVersion !== `${group}/${version}`)
    errors.push(invalid("apiVersion", givenVersion, `must be ${group}/${version}`));
  return errors;
}

function subdomainProblems(name: string, prefix: boolean): readonly string[] {
  return checkDns1123Subdomain(prefix ? maskTrailingDash(name) : name);
}

function metaErrors(object: Json, { namespaced }: ResourceNames): FieldError[] {
  return validateObjectMeta(
    fieldOf(object, "metadata") ?? {},
    { namespaced, checkName: subdomainProblems },
    "metadata",
  );
}

function metaUpdateErrors(object: Json, old: Json): FieldError[] {
  return validateObjectMetaUpdate(
    fieldOf(object, "metadata") ?? {},
    fieldOf(old, "metadata") ?? {},
    child(undefined, "metadata"),
  );
}

const blocking: ReadonlySet<string> = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

function isBlocked(errors: readonly FieldError[]): boolean {
  return errors.some(({ type }) => blocking.has(type));
}

const rulesSkipped: FieldError = invalid(
  undefined,
  null,
  "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
);
