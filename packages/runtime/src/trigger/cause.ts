/** Why an object is looked at: what changed, which fields of it, and by whom. Kept until the turn and shown by `explain`. */
import type { AnyKind } from "../api.ts";
import { writerOf } from "../cache/managed-fields.ts";
import type { Change } from "../cache/reflector.ts";
import { fieldPath } from "../field-path.ts";
import { TRACE_ANNOTATION, traceOf } from "./trace.ts";

/** One reason for a turn. */
export interface Cause {
  /** How the change is related to the object that is woken. */
  readonly relation: "self" | "status" | "owned" | "mapped" | "read" | "source" | "schedule" | "again" | "request";
  readonly change: Change["type"] | "happened";
  readonly kind: string;
  readonly key: string;
  readonly version: string | undefined;
  /** Whether the server told it as an event, or it was found by comparing a list. */
  readonly from: Change["from"] | undefined;
  /** Paths that changed, at most a few. */
  readonly fields: readonly string[];
  readonly manager: string | undefined;
  /** The trace of the write, if it left one. */
  readonly trace: string | undefined;
}

/** A cause out of a change. */
export function causeOf(relation: Cause["relation"], kind: AnyKind, change: Change): Cause {
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

/** A cause that comes from outside the cluster. */
export function outsideCause(relation: "source" | "schedule" | "again" | "request", what: string): Cause {
  const nothing = { version: undefined, from: undefined, fields: [], manager: undefined, trace: undefined };
  return { relation, change: "happened", kind: what, key: "", ...nothing };
}

const FIELDS_KEPT = 8;

/** Bookkeeping that changes with every write and tells nothing. */
const BOOKKEEPING: ReadonlySet<string> = new Set([
  "metadata.resourceVersion",
  "metadata.managedFields",
  "metadata.generation",
  fieldPath("metadata.annotations", TRACE_ANNOTATION),
]);

/** The paths at which two objects differ, at most a few. Items of lists that have a name go by it, wherever they stand. */
export function changedFields(old: unknown, now: unknown): readonly string[] {
  const found: string[] = [];
  compare(old, now, "", found);
  return found;
}

function compare(old: unknown, now: unknown, path: string, found: string[]): void {
  if (old === now || found.length >= FIELDS_KEPT || BOOKKEEPING.has(path)) return;
  if (!isTree(old) || !isTree(now) || Array.isArray(old) !== Array.isArray(now)) {
    found.push(path);
    return;
  }
  const [before, after, at] = childrenOf(old, now, path);
  for (const [name, value] of before) compare(value, after.get(name), at(name), found);
  for (const [name, value] of after) if (!before.has(name)) compare(undefined, value, at(name), found);
}

interface Tree {
  readonly [name: string]: unknown;
}

type Children = readonly [ReadonlyMap<string, unknown>, ReadonlyMap<string, unknown>, (name: string) => string];

function childrenOf(old: Tree, now: Tree, path: string): Children {
  if (Array.isArray(old) && Array.isArray(now)) {
    const key = NAMES.find((name) => isKeyedBy(old, name) && isKeyedBy(now, name));
    const mapOf = (items: readonly unknown[]): Map<string, unknown> =>
      new Map(items.map((item, index) => [key === undefined ? String(index) : String((item as Tree)[key]), item]));
    return [mapOf(old), mapOf(now), (name) => `${path}[${name}]`];
  }
  return [new Map(Object.entries(old)), new Map(Object.entries(now)), (name) => fieldPath(path, name)];
}

/** What items of Kubernetes' lists are told apart by. */
const NAMES = ["name", "type", "key", "uid"] as const;

function isKeyedBy(items: readonly unknown[], key: string): boolean {
  const names = new Set(items.map((item) => (isTree(item) ? item[key] : undefined)));
  return names.size === items.length && !names.has(undefined);
}

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null;
}
