/** A draft of a status on top of what others wrote into it since the draft was begun. */
import { mergePatchBetween } from "@capstan/client";
import { touched } from "./conditions.ts";
import type { Condition } from "./conditions.ts";
import { isEqual } from "./equal.ts";
import type { StatusFields } from "./status.ts";

/** A draft, the status that it was begun with, and the status as it is now. */
export interface Drafting {
  readonly draft: StatusFields;
  readonly base: StatusFields;
  readonly latest: StatusFields;
}

/**
 * The draft as it would be had it been begun now: of what is there, only what the reconcile changed is changed. Undefined where that cannot be
 * told: conditions were written by hand, without the draft's method, and others wrote theirs.
 */
export function rebased({ draft, base, latest }: Drafting): StatusFields | undefined {
  if (isEqual(base, latest)) return draft;
  // A merge patch is an object with fields.
  const change = mergePatchBetween(base, draft) as Fields | undefined;
  if (change === undefined) return latest;
  const fields: StatusFields = merged(latest, change);
  if (!("conditions" in change) || isEqual(base.conditions, latest.conditions)) return fields;
  if (!isWrittenByMethod(draft, base)) return undefined;
  return { ...fields, conditions: joined(latest.conditions ?? [], draft) };
}

interface Fields {
  readonly [name: string]: unknown;
}

/** RFC 7386: null takes a field away. */
function merged(target: Fields, change: Fields): { [name: string]: unknown } {
  const made: { [name: string]: unknown } = { ...target };
  for (const [name, value] of Object.entries(change)) {
    if (value === null) delete made[name];
    else made[name] = isFields(value) ? merged(isFields(made[name]) ? made[name] : {}, value) : value;
  }
  return made;
}

/** What is no JSON stays as it is: whoever sends it says so. */
function isFields(value: unknown): value is Fields {
  if (typeof value !== "object" || value === null) return false;
  // What Object.groupBy makes has no prototype.
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function isWrittenByMethod(draft: StatusFields, base: StatusFields): boolean {
  const set = touched.get(draft);
  const others = ({ conditions = [] }: StatusFields): readonly Condition[] =>
    conditions.filter(({ type }) => set?.has(type) !== true);
  return isEqual(others(draft), others(base));
}

/** A list in which the conditions that a reconcile set have the place of those of their type, or follow; those that it took away are not in it. */
function joined(list: readonly Condition[], draft: StatusFields): Condition[] {
  const set = touched.get(draft) ?? new Set<string>();
  const own = new Map((draft.conditions ?? []).filter(({ type }) => set.has(type)).map((each) => [each.type, each]));
  const kept = list.filter(({ type }) => !set.has(type) || own.has(type));
  const present = new Set(kept.map(({ type }) => type));
  return [
    ...kept.map((condition) => own.get(condition.type) ?? condition),
    ...[...own.values()].filter(({ type }) => !present.has(type)),
  ];
}
