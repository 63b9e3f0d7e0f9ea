/** Records the reads of each reconcile, so that changes of those objects trigger it, and no others. */
import { kindId } from "../api.ts";
import type { AnyKind } from "../api.ts";
import type { Change } from "../cache/change.ts";
import { equalityOf, matchesQuery } from "../cache/selector.ts";
import type { Query } from "../cache/selector.ts";
import { triggerOf } from "./reconcile-trigger.ts";
import { LIST_PRIORITY } from "./event-handler.ts";
import type { EventHandler } from "./event-handler.ts";

/** One read: of one object, or of all that a query finds. */
export type Read = { readonly kind: AnyKind; readonly key: string } | { readonly kind: AnyKind; readonly query: Query };

/** Reads by reader. */
export class Reads {
  readonly #byReader = new Map<string, string[]>();
  /** Places (an object, a label, a namespace, a whole kind) with their readers. */
  readonly #places = new Map<string, Map<string, Query | undefined>>();

  /** Records a read at once: the object may change before the reconcile ends. */
  add(reader: string, read: Read): void {
    const place = placeOf(read);
    this.#enter(place, reader, "query" in read ? read.query : undefined);
    const places = this.#byReader.get(reader);
    if (places === undefined) this.#byReader.set(reader, [place]);
    else places.push(place);
  }

  /** The reconcile has ended: its reads replace those of the reconciles before it. */
  record(reader: string, reads: readonly Read[]): void {
    this.forget(reader);
    for (const read of reads) this.add(reader, read);
  }

  /** Drops a deleted reader. */
  forget(reader: string): void {
    for (const place of this.#byReader.get(reader) ?? []) {
      const readers = this.#places.get(place);
      readers?.delete(reader);
      if (readers?.size === 0) this.#places.delete(place);
    }
    this.#byReader.delete(reader);
  }

  /** Triggers the readers of a changed object. */
  trigger(kind: AnyKind): EventHandler {
    const id = kindId(kind);
    return (change, enqueue) => {
      if (this.#places.size === 0) return;
      const readers = this.#readersOf(id, change);
      if (readers.size === 0) return;
      const priority = change.from === "list" ? LIST_PRIORITY : 0;
      const request = { trigger: triggerOf("read", kind, change), priority };
      for (const reader of readers) enqueue(reader, request);
    };
  }

  #enter(place: string, reader: string, query: Query | undefined): void {
    let readers = this.#places.get(place);
    if (readers === undefined) this.#places.set(place, (readers = new Map<string, Query | undefined>()));
    // Two different queries of one reader share one place: any change there triggers the reader.
    readers.set(reader, readers.has(reader) ? {} : query);
  }

  #readersOf(id: string, change: Change): ReadonlySet<string> {
    const found = new Set<string>();
    for (const reader of this.#places.get(`${id} key ${change.key}`)?.keys() ?? []) found.add(reader);
    this.#collect(id, change, found);
    const { old } = change;
    if (old !== undefined) this.#collect(id, { metadata: old.metadata, object: old }, found);
    return found;
  }

  #collect(id: string, seen: Seen, found: Set<string>): void {
    for (const place of placesOf(id, seen)) {
      for (const [reader, query] of this.#places.get(place) ?? []) {
        if (query === undefined || concerns(query, seen)) found.add(reader);
      }
    }
  }
}

/** An object; in most cases its metadata is enough. */
type Seen = Pick<Change, "metadata" | "object">;

function concerns(query: Query, seen: Seen): boolean {
  const { index } = query;
  if (!matchesQuery(seen.metadata, query)) return false;
  if (index?.values === undefined) return true;
  try {
    return index.values(seen.object).includes(index.value);
  } catch {
    // It cannot be excluded.
    return true;
  }
}

function placeOf(read: Read): string {
  const id = kindId(read.kind);
  if ("key" in read) return `${id} key ${read.key}`;
  const { query } = read;
  if (query.owner !== undefined) return `${id} owner ${query.owner}`;
  const equality = equalityOf(query);
  if (equality !== undefined) return `${id} label ${equality.label}=${equality.value}`;
  return query.namespace === undefined ? `${id} all` : `${id} namespace ${query.namespace}`;
}

function placesOf(id: string, { metadata }: Seen): readonly string[] {
  const places = [`${id} all`, `${id} namespace ${metadata.namespace ?? ""}`];
  for (const label in metadata.labels) places.push(`${id} label ${label}=${metadata.labels[label]}`);
  for (const owner of metadata.ownerReferences ?? []) places.push(`${id} owner ${owner.uid}`);
  return places;
}
