/** Follows the objects of the operator's kinds: lists each kind, watches it, and lists again when the watch ends. */
import { setTimeout as wait } from "node:timers/promises";
import { isApiError } from "@capstan/client";
import type { StoredObject } from "@capstan/model";
import type { Api } from "@capstan/runtime";
import type { KindNames } from "./messages.ts";

/** Callbacks for the objects of a kind. */
export interface ObjectEvents {
  /** All existing objects; others are deleted. */
  readonly listed: (kind: KindNames, objects: readonly StoredObject[]) => void;
  readonly changed: (kind: KindNames, object: StoredObject) => void;
  readonly removed: (kind: KindNames, object: StoredObject) => void;
  /** A request failed, so earlier objects may be stale. The list is retried. */
  readonly failed: (kind: KindNames, error: unknown) => void;
}

/** The delay before a kind is listed again. */
const REST = 1_000;
const PAGE = 500;

/** Follows kinds until it is disposed of. */
export function followObjects(api: Api, kinds: readonly KindNames[], events: ObjectEvents): Disposable {
  const stop = new AbortController();
  for (const kind of kinds) void followKind({ api, kind, events, signal: stop.signal });
  return { [Symbol.dispose]: () => stop.abort() };
}

interface Following {
  readonly api: Api;
  readonly kind: KindNames;
  readonly events: ObjectEvents;
  readonly signal: AbortSignal;
}

async function followKind(following: Following): Promise<void> {
  const { signal } = following;
  while (!signal.aborted) {
    const version = await tellAll(following);
    if (version !== undefined && !signal.aborted) await tellChanges(following, version);
    await wait(REST, undefined, { signal }).catch(() => {});
  }
}

/** Returns the listed resourceVersion. A kind that is not served, for example before its CRD exists, has no objects. */
async function tellAll({ api, kind, events, signal }: Following): Promise<string | undefined> {
  try {
    const objects: StoredObject[] = [];
    let page = await api.list(kind, { limit: PAGE, signal });
    objects.push(...page.items);
    while ((page.continueAt ?? "") !== "") {
      page = await api.list(kind, { limit: PAGE, continueAt: page.continueAt, signal });
      objects.push(...page.items);
    }
    if (!signal.aborted) events.listed(kind, objects);
    return page.resourceVersion;
  } catch (error) {
    if (signal.aborted) return undefined;
    if (isApiError(error, "UnknownKind")) events.listed(kind, []);
    else events.failed(kind, error);
    return undefined;
  }
}

/** Runs until the watch ends or fails. The next list shows missed changes or reports the error. */
async function tellChanges({ api, kind, events, signal }: Following, resourceVersion: string): Promise<void> {
  try {
    for await (const { type, object } of api.watch(kind, { resourceVersion, signal })) {
      if (signal.aborted) return;
      if (type === "DELETED") events.removed(kind, object);
      else if (type !== "BOOKMARK") events.changed(kind, object);
    }
  } catch {
    // The next list handles the error.
  }
}
