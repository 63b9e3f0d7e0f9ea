/** Rebases a draft of a status on changes that other writers made since the draft was created. */
import { mergePatchBetween } from "@capstan/client";
import { touched } from "./conditions.ts";
import type { Condition } from "./conditions.ts";
import { isEqual } from "./equal.ts";
import type { StatusFields } from "./status.ts";

/** A draft, the status that it was created from, and the current status. */
export interface Drafting {
  readonly draft: StatusFields;
  readonly base: StatusFields;
  readonly latest: StatusFields;
}

/**
 * The draft as if it had been created from the current status: only the changes of the reconcile are applied to it. Undefined if that is
 * ambiguous: the conditions were assigned directly, without the draft's method, and other writers changed theirs.
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

/** RFC 7386: null removes a field. */
function merged(target: Fields, change: Fields): { [name: string]: unknown } {
  const made: { [name: string]: unknown } = { ...target };
  for (const [name, value] of Object.entries(change)) {
    if (value === null) delete made[name];
    else made[name] = isFields(value) ? merged(isFields(made[name]) ? made[name] : {}, value) : value;
  }
  return made;
}

/** Values that are not JSON stay as they are: sending them reports the error. */
function isFields(value: unknown): value is Fields {
  if (typeof value !== "object" || value === null) return false;
  // Object.groupBy returns objects without a prototype.
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function isWrittenByMethod(draft: StatusFields, base: StatusFields): boolean {
  const set = touched.get(draft);
  const others = ({ conditions = [] }: StatusFields): readonly Condition[] =>
    conditions.filter(({ type }) => set?.has(type) !== true);
  return isEqual(others(draft), others(base));
}

/**
 * The list in which conditions that the reconcile set replace the ones of their type or are appended; conditions that it removed are
 * dropped.
 */
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
