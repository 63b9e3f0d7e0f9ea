/** Removes usage: of a tenant or a namespace on demand, and what is older than the retention of the book. */
import type { Book } from "../book/book.ts";
import { collect } from "../engine/collect.ts";
import type { Tenancy } from "../engine/piece.ts";
import { quantityOf } from "../engine/rate.ts";
import { always, cutPiece } from "../engine/relations.ts";
import { MeterError } from "../error.ts";
import { kindOf } from "../journal/pieces.ts";
import { parseJournalLine } from "../journal/line.ts";
import { parseOwned } from "../prometheus/series.ts";
import type { Removal, Store } from "../store/store.ts";
import { type Row, type TableName, toUsage } from "../store/tables.ts";
import { boundsOf, nameOf } from "../time/bucket.ts";
import { parseInstant } from "../time/instant.ts";
import { zoneOf } from "../time/zone.ts";

/** Whose usage is removed. */
export interface ForgetRequest {
  readonly tenant?: string;
  readonly namespace?: string;
  /** Only what ends at or before this time. */
  readonly before?: number;
  readonly now: number;
}

/** How many rows were removed. */
export interface Forgotten {
  readonly usage: number;
  readonly samples: number;
  readonly journal: number;
  readonly bills: number;
  readonly sums: number;
  readonly removed: number;
}

const names: readonly TableName[] = ["usage", "samples", "journal", "bills", "sums", "rows"];

/** Whose a row is. */
interface Owned {
  readonly tenant: string;
  readonly namespace: string;
  readonly end: number;
}

/** Removes the usage of a tenant or a namespace, with its journal lines, bills and sums; invoices stay. */
export async function forgetUsage(store: Store, book: Book, request: ForgetRequest): Promise<Forgotten> {
  const { tenant, namespace, before = Number.POSITIVE_INFINITY, now } = request;
  const { tenancy } = await collect(store, book, always);
  const alive = before === Number.POSITIVE_INFINITY ? new Set<string>() : await aliveObjects(store, before);
  const isOwn = (owned: Owned | undefined): boolean =>
    owned !== undefined &&
    owned.end <= before &&
    (tenant === undefined || owned.tenant === tenant) &&
    (namespace === undefined || owned.namespace === namespace);
  const owner = new Owners(tenancy, book, alive);
  const found = await removeRows(store, {
    now,
    isRemoved: (table, row) => isOwn(owner.of(table, row)),
    forgotten: tenant === undefined ? {} : { [tenant]: before === Number.POSITIVE_INFINITY ? now : before },
  });
  return found;
}

interface RemoveOptions {
  readonly now: number;
  readonly isRemoved: (table: TableName, row: Row) => boolean;
  readonly forgotten: { readonly [tenant: string]: number };
  readonly sums?: readonly Row[];
}

async function removeRows(store: Store, { now, isRemoved, forgotten, sums = [] }: RemoveOptions): Promise<Forgotten> {
  const count: { [table in TableName]: number } = { usage: 0, samples: 0, journal: 0, bills: 0, sums: 0, rows: 0 };
  const remove = names.map((table): Removal => {
    const test = (row: Row): boolean => {
      const isHit = isRemoved(table, row);
      if (isHit) count[table] += 1;
      return isHit;
    };
    return { table, isRemoved: test };
  });
  const removed = await store.commit({ at: now, rows: [{ table: "sums", rows: sums }], remove, forgotten });
  return { ...count, removed };
}

/** The namespace of a classic row is a label. */
function namespaceOfLabels(labels: string): string | undefined {
  const { namespace } = JSON.parse(labels) as { readonly namespace?: string };
  return namespace;
}

/** Says of rows whose they are. */
class Owners {
  readonly #tenancy: Tenancy;
  readonly #kinds: ReadonlySet<string>;
  readonly #label: string;
  readonly #alive: ReadonlySet<string>;

  constructor(tenancy: Tenancy, book: Book, alive: ReadonlySet<string>) {
    this.#tenancy = tenancy;
    this.#kinds = new Set([...book.meters.values()].map(kindOf));
    this.#label = book.tenantLabel;
    this.#alive = alive;
  }

  of(table: TableName, row: Row): Owned | undefined {
    switch (table) {
      case "usage": {
        const { tenant, namespace, cluster, start, end } = toUsage(row);
        return this.#owned({ tenant, namespace, cluster, start, end });
      }
      case "samples": {
        const { tenant, namespace, cluster } = parseOwned(String(row[3]));
        return this.#owned({ tenant, namespace, cluster, start: Number(row[1]), end: Number(row[1]) });
      }
      case "sums":
        return { tenant: String(row[4]), namespace: "", end: Number(row[2]) };
      case "bills": {
        const namespace = String(row[5]);
        if (namespace === "") return undefined;
        return this.#owned({ tenant: "", namespace, cluster: "", start: Number(row[1]), end: Number(row[2]) });
      }
      case "rows": {
        const namespace = namespaceOfLabels(String(row[4]));
        if (namespace === undefined) return undefined;
        return this.#owned({ tenant: "", namespace, cluster: "", start: Number(row[1]), end: Number(row[1]) });
      }
      case "journal":
        return this.#ofLine(row);
    }
  }

  #owned({
    tenant,
    end,
    start,
    ...place
  }: Omit<Owned, "end"> & { cluster: string; start: number; end: number }): Owned {
    const owner = tenant === "" ? this.#tenancy.tenantAt(place, start) : tenant;
    return { tenant: owner, namespace: place.namespace, end };
  }

  /** A line about an object in a namespace, or about the namespace itself. */
  #ofLine([, cluster, , at, text]: Row): Owned | undefined {
    const line = parseJournalLine(JSON.parse(String(text)), parseInstant);
    if (typeof line === "string" || !("object" in line.body)) return undefined;
    const { namespace = "", name = "", uid, labels } = line.body.object.metadata;
    if (this.#alive.has(uid)) return undefined;
    const isNamespace = line.kind === "v1/Namespace";
    const place = isNamespace ? name : namespace;
    if (place === "" || (!isNamespace && this.#kinds.size === 0)) return undefined;
    const label = isNamespace ? labels?.[this.#label] : undefined;
    const tenant = label ?? this.#tenancy.tenantAt({ cluster: String(cluster), namespace: place }, Number(at));
    return { tenant, namespace: place, end: Number(at) };
  }
}

/** Objects that exist at a time: what is known of them is still needed. */
async function aliveObjects(store: Store, before: number): Promise<ReadonlySet<string>> {
  const alive = new Set<string>();
  for await (const rows of store.read("journal"))
    for (const [, , , at, text] of rows) {
      const line = parseJournalLine(JSON.parse(String(text)), parseInstant);
      if (typeof line === "string" || !("object" in line.body)) continue;
      const { uid } = line.body.object.metadata;
      if (line.body.type !== "DELETED") alive.add(uid);
      else if (Number(at) <= before) alive.delete(uid);
    }
  return alive;
}

/** Removes usage that is older than the retention and lies in closed periods; its sums by day, tenant and meter stay. */
export async function retainUsage(store: Store, book: Book, { now }: { readonly now: number }): Promise<Forgotten> {
  const { usage, journal } = book.retention;
  if (usage === undefined && journal === undefined)
    throw new MeterError("BadInput", "the book has no retention; write retention: { usage: 400d }");
  const closedTo = await closedUntil(store, book);
  const limit = (age: number | undefined): number => (age === undefined ? Number.NEGATIVE_INFINITY : now - age);
  // Whole days: the sums are by day.
  const cut = Math.min(limit(usage), closedTo);
  const journalCut = Math.min(limit(journal), closedTo);
  const { tenancy } = await collect(store, book, always);
  const alive = await aliveObjects(store, journalCut);
  const owner = new Owners(tenancy, book, alive);
  const isRemoved = (table: TableName, row: Row): boolean => {
    // Readings of counters stay: the next increase begins at the last one.
    if (table === "usage") return (owner.of(table, row)?.end ?? Number.POSITIVE_INFINITY) <= cut;
    return table === "journal" && (owner.of(table, row)?.end ?? Number.POSITIVE_INFINITY) <= journalCut;
  };
  const sums = await sumsOf(store, book, { cut, tenancy });
  const forgotten = Number.isFinite(cut) ? { "*": cut } : {};
  return removeRows(store, { now, isRemoved, forgotten, sums });
}

/** The end of the last period up to which all are closed, in the zone where it ends first. */
async function closedUntil(store: Store, book: Book): Promise<number> {
  const closed = await store.archive.closedPeriods();
  const ends = [...new Set([book.timeZone, ...book.tenantZones.values()])].map((name) => {
    const zone = zoneOf(name);
    let end = Number.NEGATIVE_INFINITY;
    for (const period of closed) {
      const start = parseInstant(`${period.length === 7 && !period.includes("W") ? `${period}-15` : period}T12:00:00Z`);
      if (start === undefined) continue;
      const [from, to] = boundsOf(book.ratingPeriod, zone, start);
      if (nameOf(book.ratingPeriod, zone, from) === period) end = Math.max(end, to);
    }
    return end;
  });
  return Math.min(...ends);
}

/** What the removed records amount to, by day of the tenant. */
async function sumsOf(
  store: Store,
  book: Book,
  { cut, tenancy }: { readonly cut: number; readonly tenancy: Tenancy },
): Promise<Row[]> {
  const sums = new Map<string, { readonly key: readonly [string, number, number, string]; sum: bigint }>();
  for await (const rows of store.read("usage"))
    for (const cells of rows) {
      const record = toUsage(cells);
      const meter = book.meters.get(record.meter);
      if (meter === undefined || record.end > cut || (meter.aggregate !== "sum" && meter.aggregate !== "count"))
        continue;
      const piece = {
        ...record,
        kind: meter.type === "level" ? ("level" as const) : ("event" as const),
        dimensions: new Map(),
      };
      for (const part of cutPiece(piece, tenancy)) {
        const zone = zoneOf(book.tenantZones.get(part.tenant) ?? book.timeZone);
        for (let at = part.start; at < part.end;) {
          const [from, to] = boundsOf("day", zone, at);
          const end = Math.min(part.end, to);
          const quantity = meter.aggregate === "count" ? 1_000_000_000n : quantityOf(piece, { start: at, end });
          const key = [record.meter, from, to, part.tenant] as const;
          const text = JSON.stringify(key);
          const known = sums.get(text) ?? { key, sum: 0n };
          sums.set(text, known);
          known.sum += quantity;
          at = end;
        }
      }
    }
  const batch = store.state.batch + 1;
  return [...sums.values()].map(({ key: [meter, from, to, tenant], sum }) => [
    meter,
    from,
    to,
    String(sum),
    tenant,
    batch,
  ]);
}
