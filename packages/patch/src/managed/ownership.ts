/** How ownership changes with an object: the rules of update and apply. */
import { isDeepEqual } from "@capstan/model";
import { differenceOf, intersectionOf, isEmptySet, isSubset, unionOf, type FieldSet } from "../fields/field-set.ts";
import { explain } from "../errors.ts";
import { compareValues, type Comparison, type IsSame } from "../typed/compare.ts";
import { mergeValues } from "../typed/merge.ts";
import { reconcileFields } from "../typed/reconcile.ts";
import { toFieldSet } from "../typed/to-field-set.ts";
import { listConflicts, type FieldConflict } from "./conflict.ts";
import { fieldsOf, type Owner, type Owners } from "./owners.ts";
import { prune } from "./prune.ts";
import type { ConvertTyped, TypedObject } from "./typed-object.ts";

/** Removes fields from a set, such as those that a subresource may not write. */
export type FieldFilter = (fields: FieldSet) => FieldSet;

/** The inputs of ownership decisions. */
export interface Rules {
  readonly convert: ConvertTyped;
  readonly filterAt: (apiVersion: string) => FieldFilter | undefined;
  readonly isSame?: IsSame | undefined;
}

/** A change by a manager. */
export interface Change {
  readonly live: TypedObject;
  readonly owners: Owners;
  /** The identity of the manager among the owners. */
  readonly actor: string;
  readonly as: Omit<Owner, "fields">;
}

/** After an update the manager owns what changed, and all other managers lose it. */
export function updateOwnership(change: Change, updated: TypedObject, rules: Rules): Owners {
  const owners = reconcileOwners(change, rules);
  const { comparison } = takeOver({ ...change, owners, force: true }, updated, rules);
  const known = fieldsOf(owners.get(change.actor));
  const kept = unionOf(unionOf(differenceOf(known, comparison.removed), comparison.modified), comparison.added);
  const fields = rules.filterAt(change.live.apiVersion)?.(kept) ?? kept;
  if (isEmptySet(fields)) owners.delete(change.actor);
  else owners.set(change.actor, { ...change.as, fields });
  return owners;
}

/** The result of an apply: the merged object (undefined when unchanged) and the owners, or the conflicts. */
export type Applied =
  | { readonly merged: TypedObject | undefined; readonly owners: Owners }
  | { readonly conflicts: readonly FieldConflict[] };

/** Applies a configuration: merges it, removes what is no longer applied, and records the owner's fields. */
export function applyOwnership(change: Change & { force: boolean }, applied: TypedObject, rules: Rules): Applied {
  const { live, actor } = change;
  const owners = reconcileOwners(change, rules);
  const last = owners.get(actor);
  const value = mergeValues(live.value, applied.value, live.type) ?? null;
  const claimed = toFieldSet(applied.value, applied.type);
  const fields = rules.filterAt(live.apiVersion)?.(claimed) ?? claimed;
  owners.set(actor, { ...change.as, fields });
  const merged = withoutDropped({ ...live, value }, { owners, actor, last, rules });
  const { conflicts } = takeOver({ ...change, owners }, merged, rules);
  if (conflicts.length > 0) return { conflicts };
  return { owners, merged: isDeepEqual(live.value, merged.value) ? undefined : merged };
}

interface LastApplied {
  readonly owners: Owners;
  readonly actor: string;
  readonly last: Owner | undefined;
  readonly rules: Rules;
}

/** Nothing can be dropped when everything that was applied before is applied again; other versions have to be compared even so. */
function withoutDropped(merged: TypedObject, { owners, actor, last, rules }: LastApplied): TypedObject {
  const now = owners.get(actor);
  if (last === undefined || now === undefined || isEmptySet(last.fields)) return merged;
  const isOneVersion = [last, ...owners.values()].every(({ apiVersion }) => apiVersion === now.apiVersion);
  if (isOneVersion && isSubset(last.fields, now.fields)) return merged;
  return explain("failed to prune fields", () => prune(merged, { last, now, owners, convert: rules.convert }));
}

interface TakeOver extends Omit<Change, "owners"> {
  readonly owners: Map<string, Owner>;
  readonly force: boolean;
}

/** Finds the other owners of changed fields; unless that is a conflict, they lose these fields, and removed ones too. */
function takeOver(change: TakeOver, after: TypedObject, rules: Rules) {
  const { live, owners, actor, force } = change;
  const compareAt = comparisons(live, after, rules);
  const comparison = compareAt(live.apiVersion) ?? compareValues(null, null, live.type);
  const contested = new Map<string, { owner: Owner; fields: FieldSet }>();
  const losing = new Map<string, FieldSet>();
  for (const [id, owner] of owners) {
    if (id === actor) continue;
    const here = compareAt(owner.apiVersion);
    if (here === undefined) {
      owners.delete(id);
      continue;
    }
    const fields = intersectionOf(owner.fields, unionOf(here.modified, here.added));
    if (!isEmptySet(fields)) contested.set(id, { owner, fields });
    losing.set(id, unionOf(fields, here.removed));
  }
  if (!force && contested.size > 0) return { comparison, conflicts: listConflicts(contested) };
  for (const [id, fields] of losing) lose(owners, id, fields);
  for (const [id, owner] of owners) if (isEmptySet(owner.fields)) owners.delete(id);
  return { comparison, conflicts: [] };
}

function lose(owners: Map<string, Owner>, id: string, fields: FieldSet): void {
  const owner = owners.get(id);
  if (owner === undefined || isEmptySet(fields)) return;
  owners.set(id, { ...owner, fields: differenceOf(owner.fields, fields) });
}

/** The changes in every version; each version is compared once. */
function comparisons(before: TypedObject, after: TypedObject, rules: Rules) {
  const known = new Map<string, Comparison | undefined>();
  return (apiVersion: string): Comparison | undefined => {
    if (!known.has(apiVersion)) known.set(apiVersion, compareAt(apiVersion, { before, after, rules }));
    return known.get(apiVersion);
  };
}

type Compared = { readonly before: TypedObject; readonly after: TypedObject; readonly rules: Rules };

function compareAt(apiVersion: string, { before, after, rules }: Compared): Comparison | undefined {
  const left = explain("failed to convert old object", () => rules.convert(before, apiVersion));
  if (left === undefined) return undefined;
  const right = explain("failed to convert new object", () => rules.convert(after, apiVersion));
  if (right === undefined) return undefined;
  const comparison = compareValues(left.value, right.value, left.type, rules.isSame);
  const filter = rules.filterAt(apiVersion);
  if (filter === undefined) return comparison;
  const { removed, modified, added } = comparison;
  return { removed: filter(removed), modified: filter(modified), added: filter(added) };
}

/** The owners reconciled with the current schemas of their versions; owners of removed versions are dropped. */
function reconcileOwners({ live, owners }: Change, rules: Rules): Map<string, Owner> {
  const reconciled = new Map<string, Owner>();
  for (const [id, owner] of owners) {
    const view = rules.convert(live, owner.apiVersion);
    if (view === undefined) continue;
    const fields = reconcileFields(owner.fields, view.type);
    reconciled.set(id, fields === owner.fields ? owner : { ...owner, fields });
  }
  return reconciled;
}
