/**
 * Whether an apply would change nothing: our manager owns exactly the fields that we would send, with the values that we would send.
 * Fields that the server or other managers added do not matter. The managed fields show which lists are keyed, which are sets and which
 * are atomic, so no schema is needed.
 *
 * https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy
 */
import type { KubeObject, ManagedFieldsEntry, StoredObject } from "@capstan/model";
import { fieldPath } from "../cache/field-path.ts";
import { isEqual } from "./equal.ts";
import { withoutFilledIn } from "./filled-in.ts";
import { completedLimits } from "./limit-range.ts";
import { isSameQuantity } from "./quantity.ts";
import { asWritten, isDefaultOf, isOfGo, isSharedList, isZero } from "./zero.ts";

interface Tree {
  readonly [name: string]: unknown;
}

/** A path at which the live object differs from the object that we would send. */
export interface Difference {
  readonly path: string;
  readonly wanted?: unknown;
  readonly found?: unknown;
}

/** Values that the server normalizes (`1000m` to `1`): by path, the sent and the stored value, as JSON. */
export type Spellings = ReadonlyMap<string, { readonly wanted: string; readonly found: string }>;

export interface Comparison {
  readonly desired: KubeObject;
  readonly live: StoredObject;
  readonly manager: string;
  readonly spellings?: Spellings | undefined;
}

/** The first path at which an apply would change something; undefined if it would change nothing. */
export function firstDifference({ desired, live, manager, spellings }: Comparison): Difference | undefined {
  const fields = appliedFields(live, manager, desired.apiVersion);
  const { name: _name, namespace: _namespace, ...metadata } = desired.metadata;
  const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...rest } = desired;
  const sent: Tree = Object.keys(metadata).length === 0 ? rest : { ...rest, metadata };
  // Another manager may have taken our last field: the field is the difference, not the ownership.
  if (fields === undefined) return { path: firstUnequal(sent, live, "") ?? "metadata.managedFields" };
  return differsInMap({ desired: sent, live, fields, path: "", spellings, ofGo: isOfGo(desired.apiVersion) });
}

/** The server's spelling of the sent values, learnt from its response; undefined if there is a difference of another kind. */
export function learnSpellings(comparison: Comparison): Spellings | undefined {
  const spellings = new Map<string, { readonly wanted: string; readonly found: string }>();
  for (;;) {
    const difference = firstDifference({ ...comparison, spellings });
    if (difference === undefined) return spellings;
    const { path, wanted, found } = difference;
    if (wanted === undefined || found === undefined || spellings.has(path)) return undefined;
    spellings.set(path, { wanted: JSON.stringify(wanted), found: JSON.stringify(found) });
  }
}

/** The innermost place in maps at which a live object does not have the desired value; fields that it has in addition do not count. */
function firstUnequal(desired: Tree, live: unknown, path: string): string | undefined {
  for (const [name, value] of Object.entries(desired)) {
    const there = isTree(live) ? live[name] : undefined;
    if (value === undefined || isContained(value, there)) continue;
    const child = fieldPath(path, name);
    return isTree(value) && isTree(there) ? (firstUnequal(value, there, child) ?? child) : child;
  }
  return undefined;
}

function isContained(desired: unknown, live: unknown): boolean {
  if (Array.isArray(desired) && Array.isArray(live))
    return desired.length === live.length && desired.every((item, at) => isContained(item, live[at]));
  if (!isTree(desired) || !isTree(live)) return isEqual(desired, live);
  return Object.entries(desired).every(([name, value]) => value === undefined || isContained(value, live[name]));
}

/** The fields that our manager owns according to the server. */
function appliedFields(live: StoredObject, manager: string, apiVersion: string): Tree | undefined {
  const isOurs = (entry: ManagedFieldsEntry): boolean =>
    entry.manager === manager && entry.operation === "Apply" && (entry.subresource ?? "") === "";
  const entry = live.metadata.managedFields?.find(isOurs);
  return entry?.apiVersion === apiVersion && isTree(entry.fieldsV1) ? entry.fieldsV1 : undefined;
}

/** A place in three trees: the desired object, the live object, and the fields that we own. */
interface Place<T> {
  readonly desired: T;
  readonly live: unknown;
  readonly fields: Tree;
  readonly path: string;
  readonly spellings: Spellings | undefined;
  /** Whether the server stores the object as a Go type (built-in kinds) and not as sent. */
  readonly ofGo: boolean;
}

function differsAt(place: Place<unknown>): Difference | undefined {
  const { desired, fields } = place;
  if (Array.isArray(desired)) return differsInList({ ...place, desired });
  if (!isTree(desired)) return differsInValue(place);
  if (!isGranular(fields) || Object.keys(desired).length === 0) return differsInLeaf({ ...place, desired });
  return differsInMap({ ...place, desired });
}

/** An atomic value. */
function differsInValue({ desired, live, path, spellings, ofGo }: Place<unknown>): Difference | undefined {
  if (isEqual(desired, live)) return undefined;
  if (ofGo && (isSameQuantity(path, desired, live) || isSameInGo(path, desired, live))) return undefined;
  return isSpelling(spellings, path, [desired, live]) ? undefined : { path, wanted: desired, found: live ?? null };
}

function isSameInGo(path: string, desired: unknown, live: unknown): boolean {
  if (isDefaultOf(path, desired, live)) return true;
  const name = path.slice(path.lastIndexOf(".") + 1);
  const sent = completedLimits(path, asWritten(desired, name));
  return isEqual(sent, withoutFilledIn(asWritten(live, name), sent, path));
}

/** An absent value is learnt as null. */
function isSpelling(spellings: Spellings | undefined, path: string, [wanted, found]: readonly unknown[]): boolean {
  const spelling = spellings?.get(path);
  return spelling?.wanted === JSON.stringify(wanted) && spelling.found === JSON.stringify(found ?? null);
}

/** An atomic map, or an empty one: the server may have filled an empty map with defaults. */
function differsInLeaf(place: Place<Tree>): Difference | undefined {
  const { desired, live, fields, path } = place;
  if (Object.keys(desired).length > 0) return differsInValue(place);
  return isTree(live) && !isGranular(fields) ? undefined : { path };
}

/** An absent map may have held only zeros, which Go does not write. */
function differsInMap(place: Place<Tree>): Difference | undefined {
  const { desired, live = NOTHING, fields, path, spellings, ofGo } = place;
  if (!isTree(live)) return { path };
  for (const name in desired) {
    const value = desired[name];
    if (value === undefined) continue;
    const child = fieldPath(path, name);
    const owned = fields[`f:${name}`];
    const there = live[name];
    const inside = {
      desired: value,
      live: there,
      fields: isTree(owned) ? owned : NOTHING,
      path: child,
      spellings,
      ofGo,
    };
    if (isZero(value) && isLeftOut(inside, owned)) continue;
    const found = isTree(owned) ? differsAt(inside) : differsUnowned(inside);
    if (found !== undefined) return found;
  }
  return noLongerSent(desired, fields, path);
}

const NOTHING: Tree = {};

/** A field that we do not own. Of an empty keyed list nothing is owned, whatever items other managers add. */
function differsUnowned({ desired, live, path, spellings, ofGo }: Place<unknown>): Difference | undefined {
  if (!isZero(desired)) return { path: isTree(desired) ? (firstUnequal(desired, live, path) ?? path) : path };
  if (ofGo && Array.isArray(desired) && isSharedList(path)) return undefined;
  return isSpelling(spellings, path, [desired, live]) ? undefined : { path, wanted: desired, found: live ?? null };
}

/**
 * A zero that the live object does not show. If we own it, the server accepted it and omits it on write, as Go does: had another manager
 * removed a value, we would not own the field any more. For empty keyed lists, and empty metadata fields, not even the ownership is kept.
 * An empty string in a map, such as a label value, is not a zero but a value, and is shown.
 */
function isLeftOut({ desired, live, path, ofGo }: Place<unknown>, owned: unknown): boolean {
  if (live === null) return ofGo && Array.isArray(desired) && isTree(owned);
  if (live !== undefined) return false;
  if (isNothingIn(path, desired) || (isTree(owned) && !isGranular(owned))) return true;
  return ofGo && Array.isArray(desired) && owned === undefined;
}

/** Whether an empty value in the metadata is that of a field itself, not of an entry in one of its maps. */
function isNothingIn(path: string, value: unknown): boolean {
  return value === null ? path.startsWith("metadata.") : /^metadata\.[a-zA-Z]+$/u.test(path);
}

/** A field that we own and would no longer send: an apply would remove it. */
function noLongerSent(desired: Tree, fields: Tree, path: string): Difference | undefined {
  for (const name in fields) {
    if (!name.startsWith("f:")) continue;
    const field = name.slice(2);
    if (desired[field] === undefined) return { path: fieldPath(path, field) };
  }
  return undefined;
}

function differsInList(place: Place<readonly unknown[]>): Difference | undefined {
  const { desired, live, fields, path } = place;
  if (!Array.isArray(live)) return { path };
  let keyed = 0;
  let set = 0;
  for (const name in fields) {
    if (name.startsWith("k:")) keyed++;
    else if (name.startsWith("v:")) set++;
  }
  if (keyed > 0) return keyed === desired.length ? differsInKeyedList({ ...place, live }) : { path };
  if (set > 0) return set === desired.length && desired.every((item) => live.includes(item)) ? undefined : { path };
  return differsInValue(place);
}

function differsInKeyedList(
  place: Place<readonly unknown[]> & { readonly live: readonly unknown[] },
): Difference | undefined {
  const { desired, live, fields, path, spellings, ofGo } = place;
  const names = Object.keys(fields).filter((name) => name.startsWith("k:"));
  let last = -1;
  for (const item of desired) {
    const name = isTree(item) ? names.find((candidate) => hasKeys(item, keysOf(candidate), true)) : undefined;
    const owned = name === undefined ? undefined : fields[name];
    if (name === undefined || !isTree(item) || !isTree(owned)) return { path };
    const keys = keysOf(name);
    const at = live.findIndex((candidate) => isTree(candidate) && hasKeys(candidate, keys, false));
    // The order of a keyed list is part of what is applied.
    if (at <= last) return { path };
    last = at;
    const within = { live: live[at], path: `${path}[${name.slice(2)}]`, spellings, ofGo };
    const found = isGranular(owned)
      ? differsInMap({ ...within, desired: { ...keys, ...item }, fields: withKeys(owned, keys) })
      : differsInValue({ ...within, desired: item, fields: owned });
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Key fields belong to the item whether or not they are listed: the server fills in the ones that have a default. */
function withKeys(owned: Tree, keys: Tree): Tree {
  const fields: { [name: string]: unknown } = { ...owned };
  for (const key in keys) fields[`f:${key}`] ??= {};
  return fields;
}

const parsedKeys = new Map<string, Tree>();

function keysOf(name: string): Tree {
  let keys = parsedKeys.get(name);
  if (keys === undefined) {
    keys = JSON.parse(name.slice(2)) as Tree;
    if (parsedKeys.size > 10_000) parsedKeys.clear();
    parsedKeys.set(name, keys);
  }
  return keys;
}

function hasKeys(item: Tree, keys: Tree, mayLack: boolean): boolean {
  for (const key in keys) {
    if (mayLack && item[key] === undefined) continue;
    if (item[key] !== keys[key]) return false;
  }
  return true;
}

/** Whether managed fields continue below this place. */
function isGranular(fields: Tree): boolean {
  for (const name in fields) if (name !== ".") return true;
  return false;
}

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
