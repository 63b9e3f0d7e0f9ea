/**
 * Tells news from echoes: the watch repeats what a controller wrote itself, on behalf of the very object that it would wake.
 *
 * The reconcile has seen each answer of a child, so hearing it again tells nothing. The answer to a write of the object itself comes
 * when the reconcile is over and may show what somebody else did to it: only an event that changed nothing but the status is an echo
 * then. Only events of the stream are echoes, because a list may hide what came between; and what vanished is always news.
 */
import type { ManagedFieldsEntry, StoredObject } from "@capstan/model";
import { isLater } from "../api.ts";
import { ownsField } from "../cache/managed-fields.ts";
import type { Change } from "../cache/reflector.ts";
import { changedFields } from "./reconcile-trigger.ts";
import type { ReconcileTrigger } from "./reconcile-trigger.ts";

/** A write that a reconcile made. */
export interface OwnWrite {
  /** What was written: its kind and key as one text. */
  readonly target: string;
  readonly key: string;
  readonly version: string;
  /** What the watch has told about it so far. */
  readonly told: string | undefined;
}

/**
 * Whether the answer to an apply may be a state that somebody else brought about: a server that finds nothing to change answers with what
 * is there, and the watch may not have told that yet. Where our apply changed something, that is a version of its own: its time says so, or one
 * of our fields that differs from what was known, for times are whole seconds. What we change we take from others; where they have it still, it
 * is in a map that we own as an empty one.
 */
export function mayBeOfOthers(
  { before, after }: { readonly before: StoredObject; readonly after: StoredObject },
  isOurs: (manager: string) => boolean,
): boolean {
  const isOwn = ({ manager, operation }: ManagedFieldsEntry): boolean => operation === "Apply" && isOurs(manager ?? "");
  const known = (before.metadata.managedFields ?? []).filter(isOwn);
  const answered = (after.metadata.managedFields ?? []).filter(isOwn);
  const others = (after.metadata.managedFields ?? []).filter((entry) => !isOwn(entry));
  if (known[0]?.time !== answered[0]?.time) return false;
  const entries = [...known, ...answered];
  const changed = changedFields(before, after);
  const isChangedByUs = (path: string): boolean =>
    entries.some((entry) => ownsField(entry, path)) && !others.some((entry) => ownsField(entry, path));
  return changed.length > 0 && !changed.some(isChangedByUs);
}

/** The writes of one controller that the watch has not told yet. */
export class Echoes {
  readonly #awaited = new Map<string, { readonly version: string; readonly writer: string }>();

  /** Takes the writes of a reconcile; the answer says which triggers that arrived during the reconcile are echoes of them. */
  expect(writer: string, writes: readonly OwnWrite[]): (trigger: ReconcileTrigger) => boolean {
    for (const { target, version, told } of writes) {
      if (told === undefined || isLater(version, told)) this.#awaited.set(target, { version, writer });
    }
    return ({ relation, change, from, key, version }) =>
      relation !== "self" &&
      change !== "removed" &&
      from === "stream" &&
      writes.some((write) => write.key === key && write.version === version);
  }

  /** The key on whose behalf the write was made that a change tells, if the change is an echo. */
  writerOf(target: string, change: Change): string | undefined {
    const echo = this.#awaited.get(target);
    if (echo === undefined) return undefined;
    const { resourceVersion } = change.metadata;
    if (change.type === "removed" || !isLater(echo.version, resourceVersion)) this.#awaited.delete(target);
    return change.from === "stream" && echo.version === resourceVersion ? echo.writer : undefined;
  }
}
