/** Defaults inside a schema must themselves be valid: pruned, of the right type, and satisfying the rules. */
import type { FieldError, Json } from "@capstan/model";
import { fieldErrors, isDeepEqual } from "@capstan/model";

import { coerceEmbedded, validateEmbedded } from "./embedded.ts";
import type { FieldPath } from "./field-error.ts";
import { child, entry, formatFieldError, invalid } from "./field-error.ts";
import { prune } from "./pruning.ts";
import { compileRuleValidator, objectBudget } from "./rule-validator.ts";
import type { Schema } from "./schema.ts";
import { isJsonObject } from "./schema.ts";
import { compileValidator } from "./validator.ts";

/** Places a default at its position in a whole object. */
type Surround = (value: Json) => { readonly [key: string]: Json } | undefined;

interface Walk {
  readonly path: FieldPath;
  readonly root: Schema;
  readonly surround: Surround;
  readonly insideMeta: boolean;
  readonly state: { readonly errors: FieldError[]; remaining: number; readonly requirePruned: boolean };
}

const asRoot: Surround = (value) =>
  isJsonObject(value)
    ? { apiVersion: "validation/v1", kind: "Validation", ...(value as { [key: string]: Json }) }
    : undefined;

/** The errors of a schema's defaults. */
export function validateDefaults(schema: Schema, path: FieldPath, requirePruned: boolean): FieldError[] {
  const root: Schema = schema.embeddedResource === true ? schema : { ...schema, embeddedResource: true };
  const state = { errors: [], remaining: objectBudget, requirePruned };
  walk(root, { path, root, surround: asRoot, insideMeta: false, state });
  return state.errors;
}

function walk(schema: Schema, from: Walk): void {
  const here: Walk =
    schema.embeddedResource === true ? { ...from, insideMeta: false, surround: asRoot, root: schema } : from;
  if (schema.default !== undefined) checkDefault(schema, schema.default, here);
  if (here.state.remaining < 0) return;
  if (schema.items !== undefined)
    walk(schema.items, { ...here, path: child(here.path, "items"), surround: (value) => here.surround([value]) });
  for (const [name, property] of schema.properties ?? []) {
    if (here.state.remaining < 0) return;
    const meta = schema.embeddedResource === true && (name === "metadata" || name === "apiVersion" || name === "kind");
    walk(property, {
      ...here,
      path: entry(child(here.path, "properties"), name),
      surround: (value) => here.surround({ [name]: value }),
      insideMeta: here.insideMeta || meta,
    });
  }
}

function checkDefault(schema: Schema, value: Json, { path, root, surround, insideMeta, state }: Walk): void {
  const place = child(path, "default");
  const embedded = schema.embeddedResource === true;
  if (!insideMeta && state.requirePruned && !isDeepEqual(prune(value, schema, embedded).value, value))
    state.errors.push(invalid(place, value, "must not have unknown fields"));
  const metaErrors = insideMeta ? surroundedErrors(value, { place, root, surround }) : ownErrors(value, schema, place);
  const errors = metaErrors.length > 0 ? metaErrors : compileValidator(schema, "default")(value, { path: place });
  state.errors.push(...errors);
  if (errors.length === 0) runRules(schema, value, { place, root, state });
}

function surroundedErrors(
  value: Json,
  { place, root, surround }: { readonly place: string; readonly root: Schema; readonly surround: Surround },
): FieldError[] {
  const object = surround(value);
  if (object === undefined) return [];
  const coerced = coerceEmbedded(object, root, { isResourceRoot: true });
  const wrong = (detail: string): FieldError[] => [invalid(place, value, `must result in valid metadata: ${detail}`)];
  if (coerced.error !== undefined) return wrong(formatFieldError(coerced.error));
  const errors = validateEmbedded(coerced.value, root, { isResourceRoot: true });
  return errors.length === 0 ? [] : wrong(fieldErrors.formatAll(errors));
}

function ownErrors(value: Json, schema: Schema, place: string): FieldError[] {
  const isResourceRoot = schema.embeddedResource === true;
  const coerced = coerceEmbedded(value, schema, { path: place, isResourceRoot });
  if (coerced.error !== undefined) return [coerced.error];
  return validateEmbedded(coerced.value, schema, { path: place, isResourceRoot });
}

function runRules(
  schema: Schema,
  value: Json,
  { place, root, state }: { readonly place: string; readonly root: Schema; readonly state: Walk["state"] },
): void {
  const rules = compileRuleValidator(schema, schema === root);
  if (rules === undefined) return;
  const asUpdate = rules(value, { path: place, old: value, budget: state.remaining });
  state.errors.push(...asUpdate.errors);
  const asCreate = asUpdate.errors.length > 0 ? undefined : rules(value, { path: place, budget: state.remaining });
  state.errors.push(...(asCreate?.errors ?? []));
  state.remaining = Math.min(asUpdate.remaining, asCreate?.remaining ?? asUpdate.remaining);
}
