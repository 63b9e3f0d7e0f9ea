/**
 * Recognizes self-inflicted events: the watch delivers what a controller wrote itself, for the very object that the event would trigger.
 *
 * The reconcile has seen the response to each write of a child, so its event has no new information. The response to a write of the
 * object itself arrives after the reconcile and may include changes of other writers: only an event that changed nothing but the status
 * is self-inflicted then. Only watch events count, because a list may hide changes in between; and a deletion is never self-inflicted.
 */
import type { ManagedFieldsEntry, StoredObject } from "@capstan/model";
import { isLater } from "../api.ts";
import { childId } from "../apply/writer.ts";
import type { Write, Writer } from "../apply/writer.ts";
import type { Caches } from "../cache/caches.ts";
import type { Informer } from "../cache/informer.ts";
import { ownsField } from "../cache/managed-fields.ts";
import type { Change } from "../cache/change.ts";
import { guarded } from "../cache/transform.ts";
import { changedFields } from "./reconcile-trigger.ts";
import type { ReconcileTrigger } from "./reconcile-trigger.ts";
import type { Enqueue } from "./event-handler.ts";

/** The writes of a reconcile, and the writer that made them. */
export interface OwnWrites {
  readonly writer: Writer;
  readonly writes: readonly Write[];
}

/** A write whose event will be self-inflicted. */
interface ExpectedEvent {
  /** The kind and key of the written object as one string. */
  readonly target: string;
  readonly key: string;
  readonly version: string;
  /** The last version that the watch has delivered. */
  readonly delivered: string | undefined;
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
  const returned = (after.metadata.managedFields ?? []).filter(isOwn);
  const others = (after.metadata.managedFields ?? []).filter((entry) => !isOwn(entry));
  if (known[0]?.time !== returned[0]?.time) return false;
  const entries = [...known, ...returned];
  const changed = changedFields(before, after);
  const isChangedByUs = (path: string): boolean =>
    entries.some((entry) => ownsField(entry, path)) && !others.some((entry) => ownsField(entry, path));
  return changed.length > 0 && !changed.some(isChangedByUs);
}

/** The writes of one object that the watch has not delivered yet: a reconcile may write it many times. */
interface Undelivered {
  readonly versions: Set<string>;
  latest: string;
  /** The key of the reconcile that made them. */
  readonly writer: string;
}

/** The writes of one controller that the watch has not delivered yet. */
export class SelfInflictedEvents {
  readonly #caches: Caches;
  readonly #expected = new Map<string, Undelivered>();

  constructor(caches: Caches) {
    this.#caches = caches;
  }

  /**
   * Takes the writes of the reconcile of a key; returns a function that recognizes their events among the triggers that arrived during
   * the reconcile.
   */
  expect(reconciled: string, own: OwnWrites | undefined): (trigger: ReconcileTrigger) => boolean {
    const events = own === undefined ? [] : this.#eventsOf(own);
    for (const { target, version, delivered } of events) {
      if (delivered === undefined || isLater(version, delivered)) this.#add(target, version, reconciled);
    }
    return ({ relation, change, from, key, version }) =>
      relation !== "self" &&
      change !== "removed" &&
      from === "stream" &&
      events.some((event) => event.key === key && event.version === version);
  }

  #add(target: string, version: string, writer: string): void {
    const known = this.#expected.get(target);
    const entry = known?.writer === writer ? known : { versions: new Set<string>(), latest: version, writer };
    entry.versions.add(version);
    if (isLater(version, entry.latest)) entry.latest = version;
    this.#expected.set(target, entry);
  }

  /** The function that enqueues a key for a change, but not the key whose reconcile made the change. */
  filter(target: string, change: Change, enqueue: Enqueue): Enqueue {
    const writer = this.#writerOf(target, change);
    if (writer === undefined) return enqueue;
    return (key, request) => {
      if (key !== writer || request.trigger?.relation === "self") enqueue(key, request);
    };
  }

  /** The key for which the write behind a change was made, if the change is self-inflicted. */
  #writerOf(target: string, change: Change): string | undefined {
    const expected = this.#expected.get(target);
    if (expected === undefined) return undefined;
    const { resourceVersion } = change.metadata;
    if (change.type === "removed" || !isLater(expected.latest, resourceVersion)) this.#expected.delete(target);
    const isOurs = expected.versions.delete(resourceVersion);
    return change.from === "stream" && isOurs ? expected.writer : undefined;
  }

  #eventsOf({ writer, writes }: OwnWrites): readonly ExpectedEvent[] {
    const isOurs = (manager: string): boolean => writer.isOurs(manager);
    const events: ExpectedEvent[] = [];
    for (const { verb, kind, key, before, after } of writes) {
      if (after === undefined) continue;
      const informer = this.#caches.peek(kind);
      if (verb === "apply" && before !== undefined && mayBeOfOthers({ before, after: cached(informer, after) }, isOurs))
        continue;
      const version = after.metadata.resourceVersion;
      events.push({ target: childId(kind, key), key, version, delivered: informer?.versionOf(key) });
    }
    return events;
  }
}

/** An object as a cache would show it, after its transform. */
function cached(informer: Informer | undefined, object: StoredObject): StoredObject {
  const { transform } = informer?.settings ?? {};
  return transform === undefined ? object : guarded(transform, undefined)(structuredClone(object));
}
