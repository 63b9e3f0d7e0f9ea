/** Makes the invoices of a rating period, and closes them. */
import { createPrivateKey, sign } from "node:crypto";
import type { Book } from "../book/book.ts";
import { type Collected, collect } from "../engine/collect.ts";
import { rateWith } from "../engine/rate-all.ts";
import { Rater, type Window } from "../engine/rate.ts";
import type { Detail } from "../engine/report.ts";
import { splitShared } from "../engine/split.ts";
import { MeterError } from "../error.ts";
import { parseAmount } from "../number/decimal.ts";
import { compareText } from "../number/order.ts";
import type { Store } from "../store/store.ts";
import { boundsOf, nameOf } from "../time/bucket.ts";
import { formatInstant, parseInstant, parsePeriod } from "../time/instant.ts";
import { zoneOf } from "../time/zone.ts";
import { readInvoices, writeInvoice } from "./archive.ts";
import {
  type DraftLine,
  type Invoice,
  creditLines,
  invoiceHash,
  lineKinds,
  minimumLine,
  otherLines,
  settle,
  usageLines,
} from "./invoice.ts";

/** What is asked. */
export interface BillRequest {
  readonly period: string;
  readonly tenant?: string;
  readonly now: number;
}

/** How invoices are closed. */
export interface CloseRequest extends BillRequest {
  readonly force: boolean;
  /** PEM of an Ed25519 key. */
  readonly signingKey?: string;
}

/** The invoices of a period: closed ones as they are, others as they would be. */
export async function draftInvoices(store: Store, book: Book, { period, tenant }: BillRequest): Promise<Invoice[]> {
  const closed = await readInvoices(store);
  const periods = await store.archive.closedPeriods();
  const isAsked = (invoice: Invoice): boolean =>
    invoice.period === period && (tenant === undefined || invoice.tenant === tenant);
  const known = closed.filter(isAsked);
  if (periods.has(period) || (tenant !== undefined && known.length > 0)) return known;
  const drafts: Invoice[] = [];
  for (const zone of zonesOf(book))
    drafts.push(...(await draftZone({ store, book, closed, periods }, { period, zone })));
  const done = new Set(known.map((invoice) => invoice.tenant));
  return [...known, ...drafts.filter((draft) => isAsked(draft) && !done.has(draft.tenant))].sort((a, b) =>
    compareText(a.tenant, b.tenant),
  );
}

function zonesOf({ timeZone, tenantZones }: Book): string[] {
  return [...new Set([timeZone, ...tenantZones.values()])];
}

interface Place {
  readonly store: Store;
  readonly book: Book;
  readonly closed: readonly Invoice[];
  /** The periods that are closed for all tenants. */
  readonly periods: ReadonlySet<string>;
}

/** The rated usage of one period in one zone. */
interface Rated {
  readonly details: readonly Detail[];
  readonly tenants: readonly string[];
  readonly window: Window;
}

async function ratePeriod({ store, book }: Place, { period, zone }: { period: string; zone: string }): Promise<Rated> {
  const { from, to, kind } = parsePeriod(period, zoneOf(zone));
  if (kind !== book.ratingPeriod)
    throw new MeterError("BadInput", `${period} is not a ${book.ratingPeriod}, the rating period of the book`);
  const window = { from, to };
  const collected: Collected = await collect(store, book, window);
  const dimensions = ["tenant", "namespace"];
  const frame = { book, window, buckets: [{ name: period, start: from, end: to }], by: dimensions };
  const rater = new Rater({ ...frame, tenancy: collected.tenancy });
  const allocated = await rateWith(rater, collected, { ...frame, idle: "show" });
  const pools = new Set(book.shared.flatMap(({ match }) => Object.keys(match)));
  const canSplit = [...pools].every((name) => dimensions.includes(name));
  const details = canSplit ? splitShared(allocated, { book, dimensions, by: dimensions }) : allocated;
  const inZone = (tenant: string): boolean => (book.tenantZones.get(tenant) ?? book.timeZone) === zone;
  const all = new Set(details.map(({ values }) => values[0] ?? ""));
  return { details, tenants: [...all].filter((name) => inZone(name) && !name.startsWith("__")), window };
}

async function draftZone(place: Place, { period, zone }: { period: string; zone: string }): Promise<Invoice[]> {
  const { book, closed, store, periods } = place;
  const rated = await ratePeriod(place, { period, zone });
  const earlier = closed.filter((invoice) => invoice.start < formatInstant(rated.window.from));
  const now = new Map<string, Rated>();
  const earlierPeriods = [...periods].filter((old) => parsePeriod(old, zoneOf(zone)).from < rated.window.from);
  for (const old of new Set([...earlier.map((invoice) => invoice.period), ...earlierPeriods]))
    now.set(old, await ratePeriod(place, { period: old, zone }));
  const corrected = [...now.values()].flatMap(({ tenants }) => tenants);
  return [...new Set([...rated.tenants, ...corrected])].flatMap((tenant): Invoice[] => {
    const own = earlier.filter((invoice) => invoice.tenant === tenant);
    const removed = Math.max(
      ...["*", tenant].map((name) => store.state.forgotten.get(name) ?? Number.NEGATIVE_INFINITY),
    );
    const isOpen = ([old, { window }]: readonly [string, Rated]): boolean =>
      window.from >= removed && (periods.has(old) || own.some((invoice) => invoice.period === old));
    const used = [...usageLines(rated.details, tenant), ...otherLines(rated.details, { tenant, tenantAt: 0 })];
    const before = [...used, ...corrections({ tenant, own, now: new Map([...now].filter(isOpen)) })].sort(
      (a, b) => lineKinds.indexOf(a.kind) - lineKinds.indexOf(b.kind),
    );
    const charged = [...before, ...minimumLine(book, tenant, before)];
    const credits = creditLines(charged, { book, tenant, start: rated.window.from, zone, used: usedCredits(own) });
    const lines = [...charged, ...credits];
    if (lines.length === 0) return [];
    return [
      {
        id: `${period}/${tenant}`,
        tenant,
        period,
        start: formatInstant(rated.window.from),
        end: formatInstant(rated.window.to),
        timeZone: zone,
        currency: book.currency,
        status: "open",
        ...settle(lines, book.currencyDigits),
        previous: own.at(-1)?.hash ?? null,
        hash: null,
        signature: null,
      },
    ];
  });
}

function usedCredits(invoices: readonly Invoice[]): ReadonlyMap<string, bigint> {
  const used = new Map<string, bigint>();
  for (const { credit, cost } of invoices.flatMap(({ lines }) => lines))
    if (credit !== undefined) used.set(credit, (used.get(credit) ?? 0n) - (parseAmount(cost) ?? 0n));
  return used;
}

interface Correcting {
  readonly tenant: string;
  readonly own: readonly Invoice[];
  /** What closed periods would cost now. */
  readonly now: ReadonlyMap<string, Rated>;
}

/** One line per meter and closed period: what it would cost now less what was billed for it so far. */
function corrections({ tenant, own, now }: Correcting): DraftLine[] {
  const lines = [...now].flatMap(([period, { details }]) => {
    const difference = new Map<string, bigint>();
    const put = (meter: string, cost: bigint): void => void difference.set(meter, (difference.get(meter) ?? 0n) + cost);
    for (const line of [...usageLines(details, tenant), ...otherLines(details, { tenant, tenantAt: 0 })])
      put(line.meter ?? "", line.cost);
    for (const invoice of own) {
      for (const { kind, meter, period: corrected, cost } of invoice.lines) {
        const billed = kind === "correction" ? corrected : invoice.period;
        if (meter !== undefined && billed === period) put(meter, -(parseAmount(cost) ?? 0n));
      }
    }
    return [...difference]
      .filter(([, cost]) => cost !== 0n)
      .map(([meter, cost]): DraftLine => ({ kind: "correction", meter, period, cost }));
  });
  return lines.sort((a, b) => compareText(a.meter ?? "", b.meter ?? "") || compareText(a.period ?? "", b.period ?? ""));
}

/** The outcome of closing. */
export interface Closing {
  readonly invoices: readonly Invoice[];
  /** Those that were not closed before. */
  readonly fresh: readonly Invoice[];
  /** Meters that are not imported up to the end of the period. */
  readonly laggards: readonly string[];
}

/** Closes the invoices of a period; closed ones are returned as they are. */
export async function closeInvoices(store: Store, book: Book, request: CloseRequest): Promise<Closing> {
  const drafts = await draftInvoices(store, book, request);
  const { period, tenant } = request;
  const isClosed =
    (await store.archive.closedPeriods()).has(period) ||
    (tenant !== undefined && drafts.some(({ status }) => status === "closed"));
  if (isClosed) return { invoices: drafts, fresh: [], laggards: [] };
  const laggards = await checkReady(store, book, request);
  const fresh = drafts.filter(({ status }) => status === "open").map((draft) => freeze(draft, request.signingKey));
  for (const invoice of fresh) await writeInvoice(store, invoice);
  if (tenant === undefined) await store.archive.addClosedPeriod(period);
  const byId = new Map(fresh.map((invoice) => [invoice.id, invoice]));
  return { invoices: drafts.map((draft) => byId.get(draft.id) ?? draft), fresh, laggards };
}

function freeze(draft: Invoice, signingKey: string | undefined): Invoice {
  const closed: Invoice = { ...draft, status: "closed" };
  const hash = invoiceHash(closed);
  const signature =
    signingKey === undefined
      ? null
      : sign(null, Buffer.from(hash, "hex"), createPrivateKey(signingKey)).toString("base64");
  return { ...closed, hash, signature };
}

/** A period is ready when it is over, its meters are imported, and all before it are closed. */
async function checkReady(store: Store, book: Book, { period, now, force, tenant }: CloseRequest): Promise<string[]> {
  const zones = tenant === undefined ? zonesOf(book) : [book.tenantZones.get(tenant) ?? book.timeZone];
  const windows = zones.map((zone) => parsePeriod(period, zoneOf(zone)));
  const end = Math.max(...windows.map(({ to }) => to));
  if (now < end) throw new MeterError("NotReady", `the period ${period} is not over: it ends at ${formatInstant(end)}`);
  const meters = [...new Set(book.prices.map(({ meter }) => meter))].sort(compareText);
  const late = meters.filter((meter) => (store.state.watermarks.get(meter) ?? Number.NEGATIVE_INFINITY) < end);
  if (late.length > 0 && !force)
    throw new MeterError(
      "NotReady",
      `not imported up to the end of ${period}: ${late.join(", ")}; import them, or close with --force`,
    );
  const first = await firstUsage(store, book);
  const zone = zoneOf(book.timeZone);
  const own = windows[0]?.from ?? 0;
  const done = await store.archive.closedPeriods();
  for (let at = first; at < own;) {
    const [start, next] = boundsOf(book.ratingPeriod, zone, at);
    const name = nameOf(book.ratingPeriod, zone, start);
    if (name === period) break;
    const asked = { period: name, now, ...(tenant !== undefined && { tenant }) };
    const isDone =
      done.has(name) || (await draftInvoices(store, book, asked)).every(({ status }) => status === "closed");
    if (!isDone) throw new MeterError("NotReady", `the period ${name} is not closed; close periods in order`);
    at = next;
  }
  return late;
}

async function firstUsage(store: Store, book: Book): Promise<number> {
  const window = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER };
  let first = Number.POSITIVE_INFINITY;
  for await (const { start, amount } of (await collect(store, book, window)).pieces())
    if (amount !== 0n && start < first) first = start;
  return Math.max(first, book.importFrom ?? parseInstant("1970-01-01T00:00:00Z") ?? 0);
}
