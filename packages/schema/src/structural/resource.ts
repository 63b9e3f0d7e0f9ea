/** One version of a custom resource, from its schema: read, default and judge objects as the server does. */
import type { FieldError, Json } from "@capstan/model";
import { checkDns1123Subdomain } from "@capstan/model";

import { correlate } from "./correlation.ts";
import { applyDefaults, dropRefusedNulls } from "./defaulting.ts";
import { coerceEmbedded, validateEmbedded } from "./embedded.ts";
import { child, invalid } from "./field-error.ts";
import { validateListTypes } from "./list-types.ts";
import { decodeObjectMeta } from "./object-meta-decode.ts";
import { maskTrailingDash, validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";
import { prune } from "./pruning.ts";
import type { Schema } from "./schema.ts";
import { isJsonObject } from "./schema.ts";
import { compileValidator } from "./validator.ts";

/** An object after it was read: pruned, with embedded metadata read, and the paths of the fields nobody knows. */
export type Decoded = { readonly object: Json; readonly unknown: readonly string[] } | { readonly problem: string };

/** What a resource is called and whether it lives in a namespace. */
export interface ResourceNames {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** The rules in CEL of a schema, compiled elsewhere and handed in. */
export type RuleCheck = (object: Json, old: Json | undefined) => readonly FieldError[];

/** A version of a resource that can judge objects. */
export interface Resource {
  /** Prunes, drops nulls that are not allowed and reads metadata; says which fields are unknown. */
  readonly decode: (object: Json) => Decoded;
  /** Fills in the defaults. */
  readonly applyDefaults: (object: Json) => Json;
  /** Everything that is wrong with a new object. */
  readonly validate: (object: Json) => FieldError[];
  /** Everything that is wrong with an object that replaces another. */
  readonly validateUpdate: (object: Json, old: Json) => FieldError[];
  /** Everything that is wrong with an object whose status replaces that of another. */
  readonly validateStatusUpdate: (object: Json, old: Json) => FieldError[];
}

/** Makes a resource of a schema. */
export function compileResource(schema: Schema, names: ResourceNames, checkRules?: RuleCheck): Resource {
  const validator = compileValidator(schema);
  const status = schema.properties?.get("status");
  const statusValidator = status === undefined ? undefined : compileValidator(status);
  const rules = (object: Json, old: Json | undefined, errors: readonly FieldError[]): readonly FieldError[] => {
    if (checkRules === undefined) return errors;
    return [...errors, ...(isBlocked(errors) ? [rulesSkipped] : checkRules(object, old))];
  };
  return {
    decode: (object) => decode(object, schema),
    applyDefaults: (object) => applyDefaults(object, schema),
    validate: (object) => {
      const types = typeMetaErrors(object, names);
      const errors = types.length > 0 ? types : [...metaErrors(object, names), ...validator(object)];
      return [
        ...rules(object, undefined, [
          ...errors,
          ...validateEmbedded(object, schema),
          ...validateListTypes(schema, object),
        ]),
      ];
    },
    validateUpdate: (object, old) => {
      const types = typeMetaErrors(object, names);
      const correlation = correlate(object, old, schema);
      const errors =
        types.length > 0 ? types : [...metaUpdateErrors(object, old), ...validator(object, { correlation })];
      const lists = validateListTypes(schema, old).length === 0 ? validateListTypes(schema, object) : [];
      return [...rules(object, old, [...errors, ...validateEmbedded(object, schema), ...lists])];
    },
    validateStatusUpdate: (object, old) => {
      const types = typeMetaErrors(object, names);
      const [value, before] = [fieldOf(object, "status"), fieldOf(old, "status")];
      const found =
        value === undefined || statusValidator === undefined
          ? []
          : statusValidator(value, { path: "status", ...(before === undefined ? {} : { old: before }) });
      const errors = types.length > 0 ? types : [...metaUpdateErrors(object, old), ...found];
      const lists = validateListTypes(schema, old).length === 0 ? validateListTypes(schema, object) : [];
      return [...rules(object, old, [...errors, ...lists])];
    },
  };
}

function fieldOf(object: Json, name: string): Json | undefined {
  return isJsonObject(object) ? object[name] : undefined;
}

function decode(object: Json, schema: Schema): Decoded {
  const metadata = fieldOf(object, "metadata");
  const meta = metadata === undefined ? undefined : decodeObjectMeta(metadata);
  if (meta !== undefined && "problem" in meta) return { problem: meta.problem };
  const pruned = prune(object, schema, true);
  const coerced = coerceEmbedded(dropRefusedNulls(pruned.value, schema), schema);
  if (coerced.error !== undefined) return { problem: `${coerced.error.field}: ${coerced.error.body}` };
  const unknown = [...(meta?.unknown ?? []).map((key) => `metadata.${key}`), ...pruned.unknown, ...coerced.unknown];
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
