/** Why an object is reconciled: the change, its fields, and its field manager. Kept until the reconcile and shown by `explain`. */
import type { AnyKind } from "../api.ts";
import { writerOf } from "../cache/managed-fields.ts";
import type { Change } from "../cache/change.ts";
import { fieldPath } from "../cache/field-path.ts";
import { traceAnnotation, traceOf } from "./trace.ts";

/**
 * One reason for a reconcile.
 *
 * @example
 * const describe = ({ relation, kind, key }: ReconcileTrigger) => `${relation}: ${kind} ${key}`;
 * controller(Memcached, {}, ({ triggers, log }) => log.debug(triggers.map(describe).join(", ")));
 */
export interface ReconcileTrigger {
  /** The relation of the change to the triggered object. */
  readonly relation: "self" | "status" | "owned" | "mapped" | "read" | "source" | "schedule" | "requeue" | "request";
  readonly change: Change["type"] | "happened";
  readonly kind: string;
  readonly key: string;
  readonly version: string | undefined;
  /** Whether the change was a watch event, or was found by comparing a list. */
  readonly from: Change["from"] | undefined;
  /** Changed paths, at most a few. */
  readonly fields: readonly string[];
  readonly manager: string | undefined;
  /** The trace of the write, if it has one. */
  readonly trace: string | undefined;
}

/** The trigger for a change. */
export function triggerOf(relation: ReconcileTrigger["relation"], kind: AnyKind, change: Change): ReconcileTrigger {
  const fields = change.type === "updated" && change.old !== undefined ? changedFields(change.old, change.object) : [];
  return {
    relation,
    change: change.type,
    kind: kind.kind,
    key: change.key,
    version: change.metadata.resourceVersion,
    from: change.from,
    fields,
    manager: writerOf(change.writers, fields),
    trace: traceOf(change),
  };
}

/** A trigger from outside the cluster. */
export function outsideTrigger(
  relation: "source" | "schedule" | "requeue" | "request",
  what: string,
): ReconcileTrigger {
  const nothing = { version: undefined, from: undefined, fields: [], manager: undefined, trace: undefined };
  return { relation, change: "happened", kind: what, key: "", ...nothing };
}

/** The trigger of a reconcile without an event: a requeue or retry was due. */
export function requeueTrigger(failures: number): ReconcileTrigger {
  return outsideTrigger("requeue", failures > 0 ? `retry ${failures}` : "as asked for");
}

/** The number of changed paths that are kept. */
const FIELDS_KEPT = 8;

/** Fields that change with every write. */
const BOOKKEEPING: ReadonlySet<string> = new Set([
  "metadata.resourceVersion",
  "metadata.managedFields",
  "metadata.generation",
  fieldPath("metadata.annotations", traceAnnotation),
]);

/** The paths at which two objects differ, at most a few. Items of lists with a name are identified by it, whatever their index. */
export function changedFields(old: unknown, now: unknown): readonly string[] {
  const found: string[] = [];
  if (old !== now) compare(old, now, "", found);
  return found;
}

function compare(old: unknown, now: unknown, path: string, found: string[]): void {
  if (found.length >= FIELDS_KEPT || BOOKKEEPING.has(path)) return;
  if (!isTree(old) || !isTree(now) || Array.isArray(old) !== Array.isArray(now)) found.push(path);
  else if (Array.isArray(old) && Array.isArray(now)) compareItems(old, now, path, found);
  else compareFields(old, now, path, found);
}

interface Tree {
  readonly [name: string]: unknown;
}

/** Most fields are equal, and then the path is not computed. */
function compareFields(old: Tree, now: Tree, path: string, found: string[]): void {
  for (const name in old) {
    const value = Object.hasOwn(now, name) ? now[name] : undefined;
    if (old[name] !== value) compare(old[name], value, fieldPath(path, name), found);
  }
  for (const name in now) {
    if (now[name] === undefined || Object.hasOwn(old, name)) continue;
    compare(undefined, now[name], fieldPath(path, name), found);
  }
}

function compareItems(old: readonly unknown[], now: readonly unknown[], path: string, found: string[]): void {
  const key = NAMES.find((name) => isKeyedBy(old, name) && isKeyedBy(now, name));
  const before = itemsBy(key, old);
  const after = itemsBy(key, now);
  for (const [name, item] of before) {
    const value = after.get(name);
    if (item !== value) compare(item, value, `${path}[${name}]`, found);
  }
  for (const [name, item] of after) if (!before.has(name)) compare(undefined, item, `${path}[${name}]`, found);
}

function itemsBy(key: string | undefined, items: readonly unknown[]): ReadonlyMap<string, unknown> {
  return new Map(
    items.map((item, index) => [key === undefined ? String(index) : String((item as Tree)[key]), item] as const),
  );
}

/** The key fields of items in Kubernetes' lists. */
const NAMES = ["name", "type", "key", "uid"] as const;

function isKeyedBy(items: readonly unknown[], key: string): boolean {
  const names = new Set(items.map((item) => (isTree(item) ? item[key] : undefined)));
  return names.size === items.length && !names.has(undefined);
}

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null;
}
