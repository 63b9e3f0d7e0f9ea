/** Removes from a merged object what its applier no longer applies and nobody else owns. */
import { differenceOf, emptyFieldSet, intersectionOf, unionOf, type FieldSet } from "../fields/field-set.ts";
import { withNamedFields } from "../typed/named-fields.ts";
import { removeFields } from "../typed/remove.ts";
import { toFieldSet } from "../typed/to-field-set.ts";
import type { Owner, Owners } from "./owners.ts";
import type { ConvertTyped, TypedObject } from "./typed-object.ts";

/** What pruning goes by. */
export interface PruneOptions {
  /** What the applier owned before. */
  readonly last: Owner;
  /** What the applier owns now; already among the owners. */
  readonly now: Owner;
  readonly owners: Owners;
  readonly convert: ConvertTyped;
}

/**
 * Removes everything that was applied last time, puts back what someone owns, and then removes for good only what was
 * applied last time: fields that nobody owns, such as defaults in an item that stays, stay too.
 */
export function prune(merged: TypedObject, { last, now, owners, convert }: PruneOptions): TypedObject {
  const base = convert(merged, last.apiVersion);
  if (base === undefined) return merged;
  const lastFields = withNamedFields(last.fields, base.type);
  const emptied = { ...base, value: removeFields(base.value, lastFields, base.type) };
  const restored = addBackOwned(base, emptied, { owners, convert });
  const pruned = removeDropped(base, restored, { lastFields, convert });
  return convert(pruned, now.apiVersion) ?? pruned;
}

interface Restoring {
  readonly owners: Owners;
  readonly convert: ConvertTyped;
}

function addBackOwned(base: TypedObject, emptied: TypedObject, { owners, convert }: Restoring): TypedObject {
  let [whole, rest] = [base, emptied];
  for (const [apiVersion, owned] of ownedByVersion(owners, base.apiVersion)) {
    if (owned === emptyFieldSet) continue;
    const [wholeHere, restHere] = [convert(whole, apiVersion), convert(rest, apiVersion)];
    if (wholeHere === undefined || restHere === undefined) continue;
    const { type } = wholeHere;
    const present = withNamedFields(toFieldSet(wholeHere.value, type), type);
    const left = withNamedFields(toFieldSet(restHere.value, type), type);
    const unowned = differenceOf(present, unionOf(left, withNamedFields(owned, type)));
    whole = wholeHere;
    rest = { ...wholeHere, value: removeFields(wholeHere.value, unowned, type) };
  }
  return rest;
}

/** All owned fields by version, the given version first. */
function ownedByVersion(owners: Owners, first: string): Map<string, FieldSet> {
  const versions = new Map<string, FieldSet>([[first, emptyFieldSet]]);
  for (const { apiVersion, fields } of owners.values()) {
    versions.set(apiVersion, unionOf(versions.get(apiVersion) ?? emptyFieldSet, fields));
  }
  return versions;
}

interface Dropping {
  readonly lastFields: FieldSet;
  readonly convert: ConvertTyped;
}

function removeDropped(base: TypedObject, restored: TypedObject, { lastFields, convert }: Dropping): TypedObject {
  const here = convert(restored, base.apiVersion);
  if (here === undefined) return base;
  const kept = withNamedFields(toFieldSet(here.value, here.type), base.type);
  const present = withNamedFields(toFieldSet(base.value, base.type), base.type);
  const dropped = intersectionOf(differenceOf(present, kept), lastFields);
  return { ...base, value: removeFields(base.value, dropped, base.type) };
}
