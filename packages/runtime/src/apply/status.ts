/** The status as a draft: the reconcile writes into it, and what changed is sent once, at the end. */
import { keyOf } from "@capstan/model";
import type { StoredObject } from "@capstan/model";
import type { AnyKind } from "../api.ts";
import { conditionSetter, touched } from "./conditions.ts";
import type { Condition, SetCondition } from "./conditions.ts";
import { isEqual } from "./equal.ts";
import type { Writer } from "./writer.ts";

/** Any status. */
export interface StatusFields {
  conditions?: Condition[];
  [field: string]: unknown;
}

/** A draft and the method that declares a condition. */
export type Draft = StatusFields & { readonly condition: SetCondition };

/** What a draft is made from. */
export interface DraftOptions {
  readonly object: StoredObject;
  /** What to write as the time of a transition. */
  readonly time: () => string;
}

/** A draft that starts as the status is. */
export function draftOf({ object, time }: DraftOptions): Draft {
  const fields = copy((object as { readonly status?: StatusFields }).status ?? {});
  const setter = conditionSetter({ fields, generation: object.metadata.generation, time });
  return Object.defineProperty(fields, "condition", { value: setter, enumerable: false }) as Draft;
}

/** A copy of JSON that may be written to: several times quicker than structuredClone, which can do much more. */
function copy<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  // Each branch builds the same shape that it was given.
  if (Array.isArray(value)) return value.map(copy) as T;
  const made: { [name: string]: unknown } = {};
  for (const name in value) made[name] = copy(value[name]);
  return made as T;
}

/** Whether a draft differs from the status of an object. */
export function hasStatusChange(object: StoredObject, draft: StatusFields): boolean {
  return difference((object as { readonly status?: StatusFields }).status ?? {}, draft) !== undefined;
}

/** Sends what differs between the draft and the status, if anything does. */
export async function writeStatus(
  writer: Writer,
  target: { readonly kind: AnyKind; readonly object: StoredObject },
  draft: StatusFields,
): Promise<StoredObject | undefined> {
  const former = (target.object as { readonly status?: StatusFields }).status ?? {};
  const status = difference(former, draft);
  if (status === undefined) return undefined;
  const body = { ...guard(target.object, former, draft), status };
  return await writer.patch(target.kind, keyOf(target.object), { body, part: "status" });
}

/** The merge patch between two statuses: changed fields, and null for those that are gone. */
function difference(former: StatusFields, draft: StatusFields): { [field: string]: unknown } | undefined {
  const patch: { [field: string]: unknown } = {};
  for (const name in draft) {
    if (draft[name] !== undefined && !isEqual(former[name], draft[name])) patch[name] = draft[name];
  }
  for (const name in former) if (draft[name] === undefined && former[name] !== undefined) patch[name] = null;
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/**
 * A merge patch replaces the list of conditions as a whole. Where others write conditions into it too, the patch holds only for the
 * version that was read; otherwise nobody else writes our status and no version is needed.
 */
function guard(object: StoredObject, former: StatusFields, draft: StatusFields): object {
  if (isEqual(former.conditions, draft.conditions)) return {};
  const set = touched.get(draft);
  const foreign = former.conditions?.some(({ type }) => set?.has(type) !== true) === true;
  return foreign ? { metadata: { resourceVersion: object.metadata.resourceVersion } } : {};
}
