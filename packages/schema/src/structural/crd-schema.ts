/** Errors in the schema of a CRD, besides its structure: forbidden keywords, list and map types, rules. */
import type { FieldError } from "@capstan/model";

import { ruleExpressionErrors, ruleFormErrors } from "./crd-rules.ts";
import { child, entry, forbidden, invalid, notSupported, required } from "./field-error.ts";
import { listTypeErrors, mapKeyErrors } from "./crd-list-types.ts";
import type { RuleContext } from "./rule-cost.ts";
import { childContext } from "./rule-cost.ts";
import type { Schema } from "./schema.ts";

/** The requirements; an update does not require what the old definition already lacked. */
export interface SchemaDemands {
  readonly validTypes: boolean;
  readonly atomicSets: boolean;
  readonly mapKeys: boolean;
  readonly ignoreExpressionCost: boolean;
}

/** The current place in the schema. */
interface Place {
  readonly path: string;
  readonly isRoot: boolean;
  readonly demands: SchemaDemands;
  readonly context: RuleContext | undefined;
  /** Why defaults are not allowed here, if they are not. */
  readonly noDefaults: string | undefined;
  readonly insideMeta: boolean;
  readonly uncorrelatable: string | undefined;
}

/** Errors of the schema and errors of the rules in it, which come last. */
interface Found {
  readonly schema: FieldError[];
  readonly rules: FieldError[];
}

/** All errors of a schema. `context` is set if the schema is structural. */
export function validateCrdSchema(
  schema: Schema,
  path: string,
  { demands, context }: { readonly demands: SchemaDemands; readonly context: RuleContext | undefined },
): FieldError[] {
  const found = visit(schema, {
    path,
    isRoot: true,
    demands,
    context,
    noDefaults: undefined,
    insideMeta: false,
    uncorrelatable: undefined,
  });
  return [...found.schema, ...found.rules];
}

function visit(schema: Schema, place: Place): Found {
  const found: Found = { schema: keywordErrors(schema, place), rules: [] };
  visitChildren(schema, place, (inner) => {
    found.schema.push(...inner.schema);
    found.rules.push(...inner.rules);
  });
  if (schema.preserveUnknownFields === false)
    found.schema.push(
      invalid(child(place.path, "x-kubernetes-preserve-unknown-fields"), false, "must be true or undefined"),
    );
  found.schema.push(
    ...mapTypeErrors(schema, place.path),
    ...listTypeErrors(schema, place.path, place.demands.atomicSets),
  );
  if (place.demands.mapKeys) found.schema.push(...mapKeyErrors(schema, place.path));
  found.schema.push(...ruleFormErrors(schema, place.path));
  const { context, uncorrelatable, path, demands } = place;
  if (schema.validations !== undefined && found.schema.length === 0 && context !== undefined)
    found.rules.push(
      ...ruleExpressionErrors(schema, {
        path,
        context,
        uncorrelatable,
        ignoreExpressionCost: demands.ignoreExpressionCost,
      }),
    );
  return found;
}

const types = ["array", "boolean", "integer", "number", "object", "string"];

function keywordErrors(schema: Schema, { path, demands, noDefaults, insideMeta }: Place): FieldError[] {
  const errors: FieldError[] = [];
  if (demands.validTypes && schema.type !== undefined && !types.includes(schema.type))
    errors.push(notSupported(child(path, "type"), schema.type, types));
  if (schema.default !== undefined && noDefaults !== undefined)
    errors.push(forbidden(child(path, "default"), `must not be set ${noDefaults}`));
  const unsupported: readonly [string, boolean][] = [
    ["id", schema.id !== undefined],
    ["additionalItems", schema.additionalItems !== undefined],
    ["patternProperties", schema.patternProperties !== undefined],
    ["definitions", schema.definitions !== undefined],
    ["dependencies", schema.dependencies !== undefined],
    ["$ref", schema.$ref !== undefined],
  ];
  for (const [name, present] of unsupported)
    if (present) errors.push(forbidden(child(path, name), `${name} is not supported`));
  if (schema.type === "null")
    errors.push(forbidden(child(path, "type"), "type cannot be set to null, use nullable as an alternative"));
  if (schema.itemsList !== undefined && schema.itemsList.length > 0)
    errors.push(forbidden(child(path, "items"), "items must be a schema object and not an array"));
  if (insideMeta && schema.embeddedResource === true)
    errors.push(forbidden(child(path, "x-kubernetes-embedded-resource"), "must not be used inside of resource meta"));
  if (schema.uniqueItems === true)
    errors.push(
      forbidden(
        child(path, "uniqueItems"),
        "uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
      ),
    );
  return errors;
}

type Merge = (found: Found) => void;

function visitChildren(schema: Schema, place: Place, merge: Merge): void {
  visitAdditional(schema, place, merge);
  for (const [name, property] of schema.properties ?? [])
    merge(visit(property, propertyPlace(name, property, { schema, place })));
  const plain = (inner: Schema, path: string): void =>
    merge(visit(inner, { ...place, path, isRoot: false, context: undefined }));
  if (schema.not !== undefined) plain(schema.not, child(place.path, "not"));
  schema.allOf?.forEach((inner, i) => plain(inner, entry(child(place.path, "allOf"), i)));
  schema.oneOf?.forEach((inner, i) => plain(inner, entry(child(place.path, "oneOf"), i)));
  schema.anyOf?.forEach((inner, i) => plain(inner, entry(child(place.path, "anyOf"), i)));
  for (const [name, inner] of schema.definitions ?? []) plain(inner, entry(child(place.path, "definitions"), name));
  visitItems(schema, place, merge);
  for (const [name, inner] of schema.dependencies ?? [])
    if (!Array.isArray(inner)) plain(inner as Schema, entry(child(place.path, "dependencies"), name));
}

function visitAdditional(schema: Schema, place: Place, merge: Merge): void {
  const additional = schema.additionalProperties;
  if (additional === undefined) return;
  const path = child(place.path, "additionalProperties");
  if (schema.properties !== undefined && (!additional.allows || additional.schema !== undefined))
    merge({ schema: [forbidden(path, "additionalProperties and properties are mutual exclusive")], rules: [] });
  if (additional.schema === undefined) return;
  const noDefaults = place.insideMeta ? "inside additionalProperties applying to object metadata" : place.noDefaults;
  const context = childContext(place.context, additional.schema);
  merge(visit(additional.schema, { ...place, path, isRoot: false, context, noDefaults }));
}

function propertyPlace(
  name: string,
  property: Schema,
  parent: { readonly schema: Schema; readonly place: Place },
): Place {
  const { schema, place } = parent;
  const meta = (place.isRoot || schema.embeddedResource === true) && ["metadata", "kind", "apiVersion"].includes(name);
  const { mapType } = schema;
  const correlatable = mapType === undefined || mapType === "granular" || mapType === "atomic";
  return {
    path: entry(child(place.path, "properties"), name),
    isRoot: false,
    demands: place.demands,
    context: childContext(place.context, property, name),
    noDefaults: meta && place.isRoot ? `in top-level ${name}` : place.noDefaults,
    insideMeta: place.insideMeta || meta,
    uncorrelatable: place.uncorrelatable ?? (correlatable ? undefined : place.path),
  };
}

function visitItems(schema: Schema, place: Place, merge: Merge): void {
  const uncorrelatable = place.uncorrelatable ?? (schema.listType === "map" ? undefined : place.path);
  const visitItem = (inner: Schema, path: string): void =>
    merge(visit(inner, { ...place, path, isRoot: false, uncorrelatable, context: childContext(place.context, inner) }));
  if (schema.items !== undefined) visitItem(schema.items, child(place.path, "items"));
  schema.itemsList?.forEach((inner, i) => visitItem(inner, entry(child(place.path, "items"), i)));
}

function mapTypeErrors({ mapType, type }: Schema, path: string): FieldError[] {
  if (mapType === undefined) return [];
  const errors: FieldError[] = [];
  const detail = "must be object if x-kubernetes-map-type is specified";
  if (type === undefined) errors.push(required(child(path, "type"), detail));
  else if (type !== "object") errors.push(invalid(child(path, "type"), type, detail));
  if (mapType !== "atomic" && mapType !== "granular")
    errors.push(notSupported(child(path, "x-kubernetes-map-type"), mapType, ["atomic", "granular"]));
  return errors;
}
