/** Removes from a merged object what its applier no longer applies and no other manager owns. */
import { explain } from "../errors.ts";
import { differenceOf, emptyFieldSet, intersectionOf, unionOf, type FieldSet } from "../fields/field-set.ts";
import { withNamedFields } from "../typed/named-fields.ts";
import { removeFields } from "../typed/remove.ts";
import { toFieldSet } from "../typed/to-field-set.ts";
import type { Owner, Owners } from "./owners.ts";
import type { ConvertTyped, TypedObject } from "./typed-object.ts";

/** The inputs of pruning. */
export interface PruneOptions {
  /** The applier's fields before. */
  readonly last: Owner;
  /** The applier's fields now; already among the owners. */
  readonly now: Owner;
  readonly owners: Owners;
  readonly convert: ConvertTyped;
}

/**
 * Removes everything that was applied last time, restores what any manager owns, and then removes for good only what was applied last
 * time: fields without an owner, such as defaults in an item that stays, stay too.
 */
export function prune(merged: TypedObject, { last, now, owners, convert }: PruneOptions): TypedObject {
  const toLast = "to last applied version";
  const base = explain(`failed to convert merged object ${toLast}`, () => convert(merged, last.apiVersion));
  if (base === undefined) return merged;
  const lastFields = withNamedFields(last.fields, base.type);
  const emptied = { ...base, value: removeFields(base.value, lastFields, base.type) };
  const restored = explain("failed add back owned items", () => addBackOwned(base, emptied, { owners, convert }));
  const back = explain(`failed add back dangling items: failed to convert pruned object ${toLast}`, () =>
    convert(restored, base.apiVersion),
  );
  const pruned = back === undefined ? base : removeDropped(base, back, lastFields);
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
    const at = `object at version ${apiVersion}`;
    const wholeHere = explain(`failed to convert merged ${at}`, () => convert(whole, apiVersion));
    const restHere = wholeHere && explain(`failed to convert pruned ${at}`, () => convert(rest, apiVersion));
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

/** Removes what was applied last time and is not in the restored object. */
function removeDropped(base: TypedObject, restored: TypedObject, lastFields: FieldSet): TypedObject {
  const kept = withNamedFields(toFieldSet(restored.value, restored.type), base.type);
  const present = withNamedFields(toFieldSet(base.value, base.type), base.type);
  const dropped = intersectionOf(differenceOf(present, kept), lastFields);
  return { ...base, value: removeFields(base.value, dropped, base.type) };
}
