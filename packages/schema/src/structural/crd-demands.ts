/** The requirements of a definition: all for a new one, and for an update only those that the old one already met. */
import { isDeepEqual } from "@capstan/model";

import type { Crd } from "./crd-model.ts";
import { isAtomic, mapKeyErrors } from "./crd-list-types.ts";
import type { ConversionDemands } from "./crd-parts.ts";
import { hasKnownReviewVersion } from "./crd-parts.ts";
import { prune } from "./pruning.ts";
import type { Schema } from "./schema.ts";
import { unsupportedConstruct, validateStructural } from "./structural.ts";

/** The requirements, each one a rule that was tightened once. */
export interface CrdDemands {
  readonly schema: boolean;
  readonly structural: boolean;
  readonly validTypes: boolean;
  readonly prunedDefaults: boolean;
  readonly atomicSets: boolean;
  readonly mapKeys: boolean;
  readonly conversion: ConversionDemands;
  /** Versions with an unchanged schema: the costs of their rules are not checked again. */
  readonly unchangedVersions: ReadonlySet<string>;
  /** Versions (or "" for all) that may keep more selectable fields than are allowed today. */
  readonly tooManySelectableFields: ReadonlySet<string>;
}

/** The requirements of a new definition. CA bundles are not checked before it is established. */
export const demandsOnCreate: CrdDemands = {
  schema: true,
  structural: true,
  validTypes: true,
  prunedDefaults: true,
  atomicSets: true,
  mapKeys: true,
  conversion: { knownReviewVersion: true },
  unchangedVersions: new Set(),
  tooManySelectableFields: new Set(),
};

/** The requirements of a definition that replaces another. */
export function demandsOnUpdate(crd: Crd, old: Crd, checkCaBundle: ConversionDemands["checkCaBundle"]): CrdDemands {
  const some = (matches: (schema: Schema) => boolean): boolean =>
    schemasOf(old).some((schema) => schemaHas(schema, matches));
  const reviewed = old.conversion.reviewVersions ?? [];
  return {
    schema:
      old.validation?.schema !== undefined || old.versions.every(({ validation }) => validation?.schema !== undefined),
    structural: !schemasOf(old).some((schema) => !isStructural(schema)),
    validTypes: !some(({ type }) => type !== undefined && !types.has(type)),
    prunedDefaults: !schemasOf(old).some((schema) => isStructural(schema) && hasUnprunedDefault(schema)),
    atomicSets: !some(({ listType, items }) => listType === "set" && items !== undefined && !isAtomic(items)),
    mapKeys: !some((schema) => mapKeyErrors(schema, "").length > 0),
    conversion: {
      knownReviewVersion: reviewed.length === 0 || hasKnownReviewVersion(reviewed),
      checkCaBundle: hasToHaveGoodBundle(old, checkCaBundle) ? checkCaBundle : undefined,
    },
    unchangedVersions: unchangedVersions(crd, old),
    tooManySelectableFields: tooManySelectableFields(crd, old),
  };
}

const types: ReadonlySet<string> = new Set(["array", "boolean", "integer", "number", "object", "string"]);

function schemasOf(crd: Crd): readonly Schema[] {
  return [crd, ...crd.versions].flatMap(({ validation }) =>
    validation?.schema === undefined ? [] : [validation.schema],
  );
}

function isStructural(schema: Schema): boolean {
  return unsupportedConstruct(schema) === undefined && validateStructural(schema, undefined).length === 0;
}

function hasUnprunedDefault(schema: Schema): boolean {
  return schemaHas(schema, (inner) => {
    if (inner.default === undefined) return false;
    return !isDeepEqual(prune(inner.default, inner, inner.embeddedResource === true).value, inner.default);
  });
}

function hasToHaveGoodBundle(old: Crd, check: ConversionDemands["checkCaBundle"]): boolean {
  if (!old.established || check === undefined) return false;
  const bundle = old.conversion.clientConfig?.caBundle ?? "";
  return bundle === "" || check(bundle) === undefined;
}

function schemaFor(crd: Crd, version: string): unknown {
  return crd.validation?.json ?? crd.versions.find(({ name }) => name === version)?.validation?.json;
}

function unchangedVersions(crd: Crd, old: Crd): ReadonlySet<string> {
  const before = new Set(old.versions.map(({ name }) => name));
  return new Set(
    crd.versions
      .map(({ name }) => name)
      .filter((name) => before.has(name) && isDeepEqual(schemaFor(crd, name), schemaFor(old, name))),
  );
}

function tooManySelectableFields(crd: Crd, old: Crd): ReadonlySet<string> {
  const kept = (now: readonly string[], before: readonly string[]): boolean =>
    before.length > 8 && isDeepEqual(now, before);
  const names = crd.versions.flatMap(({ name, selectableFields }) => {
    const before = old.versions.find((version) => version.name === name);
    return before !== undefined && kept(selectableFields, before.selectableFields) ? [name] : [];
  });
  return new Set(kept(crd.selectableFields, old.selectableFields) ? ["", ...names] : names);
}

/** Whether a schema or one inside of it matches. */
export function schemaHas(schema: Schema | undefined, matches: (schema: Schema) => boolean): boolean {
  if (schema === undefined) return false;
  if (matches(schema)) return true;
  return innerSchemas(schema).some((inner) => schemaHas(inner, matches));
}

function innerSchemas(schema: Schema): readonly (Schema | undefined)[] {
  return [
    schema.items,
    ...(schema.itemsList ?? []),
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    schema.not,
    ...(schema.properties?.values() ?? []),
    schema.additionalProperties?.schema,
    ...(schema.patternProperties?.values() ?? []),
    schema.additionalItems?.schema,
    ...(schema.definitions?.values() ?? []),
    ...[...(schema.dependencies?.values() ?? [])]
      .filter((inner) => !Array.isArray(inner))
      .map((inner) => inner as Schema),
  ];
}
