/** Why an object is looked at: what changed, which fields of it, and by whom. Kept until the turn and shown by `explain`. */
import type { AnyKind } from "../api.ts";
import type { Change } from "../cache/reflector.ts";

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
}

/** A cause out of a change. */
export function causeOf(relation: Cause["relation"], kind: AnyKind, change: Change): Cause {
  return {
    relation,
    change: change.type,
    kind: kind.kind,
    key: change.key,
    version: change.object.metadata.resourceVersion,
    from: change.from,
    fields: change.type === "updated" && change.old !== undefined ? changedFields(change.old, change.object) : [],
    manager: change.manager,
  };
}

/** A cause that comes from outside the cluster. */
export function outsideCause(relation: "source" | "schedule" | "again" | "request", what: string): Cause {
  const nothing = { version: undefined, from: undefined, fields: [], manager: undefined };
  return { relation, change: "happened", kind: what, key: "", ...nothing };
}

const FIELDS_KEPT = 8;
const DEPTH = 6;

/** Bookkeeping of the server that changes with every write and tells nothing. */
const BOOKKEEPING: ReadonlySet<string> = new Set([
  "metadata.resourceVersion",
  "metadata.managedFields",
  "metadata.generation",
]);

/** The paths at which two objects differ. */
export function changedFields(old: unknown, now: unknown): readonly string[] {
  const found: string[] = [];
  compare(old, now, "", 0, found);
  return found;
}

// oxlint-disable-next-line max-params -- a recursion over two trees: the path and the depth belong to the place, not to an option
function compare(old: unknown, now: unknown, path: string, depth: number, found: string[]): void {
  if (old === now || found.length >= FIELDS_KEPT || BOOKKEEPING.has(path)) return;
  if (!isTree(old) || !isTree(now) || depth === DEPTH) {
    found.push(path);
    return;
  }
  for (const name in old) compare(old[name], now[name], path === "" ? name : `${path}.${name}`, depth + 1, found);
  for (const name in now) {
    if (!(name in old)) compare(undefined, now[name], path === "" ? name : `${path}.${name}`, depth + 1, found);
  }
}

function isTree(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === "object" && value !== null;
}
