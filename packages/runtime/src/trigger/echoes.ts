/**
 * Recognizes self-inflicted events: the watch delivers what a controller wrote itself, for the very object that the event would trigger.
 *
 * The reconcile has seen the response to each write of a child, so its event has no new information. The response to a write of the
 * object itself arrives after the reconcile and may include changes of other writers: only an event that changed nothing but the status
 * is self-inflicted then. Only watch events count, because a list may hide changes in between; and a deletion is never self-inflicted.
 */
import type { ManagedFieldsEntry, StoredObject } from "@capstan/model";
import { isLater } from "../api.ts";
import { ownsField } from "../cache/managed-fields.ts";
import type { Change } from "../cache/reflector.ts";
import { changedFields } from "./reconcile-trigger.ts";
import type { ReconcileTrigger } from "./reconcile-trigger.ts";

/** A write of a reconcile. */
export interface OwnWrite {
  /** The kind and key of the written object as one string. */
  readonly target: string;
  readonly key: string;
  readonly version: string;
  /** The last version that the watch has delivered. */
  readonly told: string | undefined;
}

/**
 * Whether the response to an apply may be a state that another writer made: an apply that changes nothing returns the stored object,
 * which the watch may not have delivered yet. If our apply changed something, it made a new version: shown by its time, or by one of our
 * fields that differs from the known object, because times are whole seconds. A forced apply takes ownership of changed fields, except
 * for keys inside a map that we own as `{}`.
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

/** The writes of one controller that the watch has not delivered yet. */
export class Echoes {
  readonly #awaited = new Map<string, { readonly version: string; readonly writer: string }>();

  /**
   * Takes the writes of a reconcile; returns a function that recognizes their events among the triggers that arrived during the
   * reconcile.
   */
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

  /** The key for which the write behind a change was made, if the change is self-inflicted. */
  writerOf(target: string, change: Change): string | undefined {
    const echo = this.#awaited.get(target);
    if (echo === undefined) return undefined;
    const { resourceVersion } = change.metadata;
    if (change.type === "removed" || !isLater(echo.version, resourceVersion)) this.#awaited.delete(target);
    return change.from === "stream" && echo.version === resourceVersion ? echo.writer : undefined;
  }
}
