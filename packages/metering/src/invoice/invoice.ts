/** Invoices: the lines of a tenant's rating period, amounts that add up, and a hash chain. */
import { createHash } from "node:crypto";
import type { Book, Credit } from "../book/book.ts";
import { divideFloor, divideHalfEven, formatFixed, formatPlain } from "../number/decimal.ts";
import { compareText } from "../number/order.ts";
import { canonicalJson } from "../audit/canonical.ts";
import type { Detail } from "../engine/report.ts";
import { Quantity } from "../engine/piece.ts";
import { formatInstant, parseTime } from "../time/instant.ts";
import { zoneOf } from "../time/zone.ts";

/** The kinds of lines in their order. */
export const lineKinds = ["usage", "allocation", "shared", "external", "correction", "minimum", "credit"] as const;

/** One line of an invoice as it is printed. */
export interface InvoiceLine {
  readonly kind: (typeof lineKinds)[number];
  readonly meter?: string;
  /** The corrected period. */
  readonly period?: string;
  /** The credit that pays. */
  readonly credit?: string;
  readonly from?: string;
  readonly quantity?: string;
  readonly unit?: string;
  readonly price?: string;
  readonly per?: string;
  readonly cost: string;
  readonly amount: string;
}

/** An invoice as it is printed. */
export interface Invoice {
  readonly id: string;
  readonly tenant: string;
  readonly period: string;
  readonly start: string;
  readonly end: string;
  readonly timeZone: string;
  readonly currency: string;
  readonly status: "open" | "closed";
  readonly lines: readonly InvoiceLine[];
  readonly total: string;
  readonly previous: string | null;
  readonly hash: string | null;
  readonly signature: string | null;
}

/** A line before amounts are known; the cost is in millionths. */
export type DraftLine = Omit<InvoiceLine, "cost" | "amount"> & { readonly cost: bigint };

/** Usage lines of a tenant, in the order of invoices; what is divided among others is not in them. */
export function usageLines(details: readonly Detail[], tenant: string): DraftLine[] {
  const byLine = Map.groupBy(
    details.filter(({ charge, line }) => charge === "usage" && line?.tenant === tenant),
    ({ line }) => line,
  );
  const own = [...byLine].flatMap(([line, members]) => {
    if (line?.price === undefined) return [];
    const quantity = new Quantity(line.meter.aggregate, line.meter.unique);
    for (const member of members) quantity.merge(member.quantity);
    const cost = members.reduce((sum, member) => sum + (member.cost ?? 0n), 0n);
    return [{ line, price: line.price, quantity: quantity.value, cost }];
  });
  const begin = ({ line, price }: Pick<(typeof own)[number], "line" | "price">): number =>
    Math.max(price.from ?? line.period.from, line.period.from);
  own.sort(
    (a, b) => compareText(a.line.meter.name, b.line.meter.name) || begin(a) - begin(b) || a.price.order - b.price.order,
  );
  return own
    .filter(({ quantity }) => quantity !== 0n)
    .map(({ line, price, quantity, cost }) => ({
      kind: "usage",
      meter: line.meter.name,
      from: formatInstant(begin({ line, price })),
      quantity: formatPlain(quantity, 9),
      unit: line.meter.type === "level" ? `${line.meter.unit}-seconds` : line.meter.unit,
      ...(price.tiers === "simple" && { price: price.steps[0]?.amountText ?? "0" }),
      per: price.per,
      cost,
    }));
}

/** Lines of allocated and shared cost and of bills, one for each meter. */
export function otherLines(
  details: readonly Detail[],
  { tenant, tenantAt }: { tenant: string; tenantAt: number },
): DraftLine[] {
  const own = details.filter(({ values, charge }) => values[tenantAt] === tenant && charge !== "usage");
  const groups = Map.groupBy(own, ({ charge, meter }) => `${charge}\u0000${meter}`);
  const lines = [...groups.values()].flatMap((members): DraftLine[] => {
    const [first] = members;
    const kind = lineKinds.find((name) => name === first?.charge);
    if (first === undefined || kind === undefined) return [];
    const quantity = members.reduce((sum, member) => sum + member.quantity.value, 0n);
    const cost = members.reduce((sum, member) => sum + (member.cost ?? 0n), 0n);
    if (quantity === 0n && cost === 0n) return [];
    const counted = first.unit === "" ? {} : { quantity: formatPlain(quantity, 9), unit: first.unit };
    return [{ kind, meter: first.meter, ...counted, cost }];
  });
  return lines.sort(
    (a, b) => lineKinds.indexOf(a.kind) - lineKinds.indexOf(b.kind) || compareText(a.meter ?? "", b.meter ?? ""),
  );
}

/** The line of what is missing to the tenant's minimum, if there is one. */
export function minimumLine({ minimums }: Book, tenant: string, lines: readonly DraftLine[]): DraftLine[] {
  const minimum = minimums.findLast((entry) => entry.tenant === "*" || entry.tenant === tenant);
  const used = lines.filter(({ kind }) => kind !== "correction");
  const sum = used.reduce((all, { cost }) => all + cost, 0n);
  if (minimum === undefined || used.length === 0 || sum >= minimum.amount) return [];
  return [{ kind: "minimum", cost: minimum.amount - sum }];
}

/** What credits need beside the lines. */
export interface CreditContext {
  readonly book: Book;
  readonly tenant: string;
  readonly start: number;
  readonly zone: string;
  /** Millionths that earlier invoices took of each credit. */
  readonly used: ReadonlyMap<string, bigint>;
}

/** Lines of credits: in order of their end, each at most what is left to pay. */
export function creditLines(
  lines: readonly DraftLine[],
  { book, tenant, start, zone, used }: CreditContext,
): DraftLine[] {
  const instant = (text: string | undefined, absent: number): number =>
    text === undefined ? absent : (parseTime(text, zoneOf(zone)) ?? absent);
  const end = ({ to }: Credit): number => instant(to, Number.MAX_SAFE_INTEGER);
  const valid = book.credits
    .filter((credit) => credit.tenant === tenant || credit.tenant === "*")
    .filter((credit) => instant(credit.from, Number.MIN_SAFE_INTEGER) <= start && start < end(credit))
    .sort((a, b) => end(a) - end(b) || compareText(a.id, b.id));
  let open = lines.reduce((sum, { cost }) => sum + cost, 0n);
  return valid.flatMap(({ id, amount }): DraftLine[] => {
    const left = amount - (used.get(id) ?? 0n);
    const paid = left < open ? left : open;
    if (paid <= 0n) return [];
    open -= paid;
    return [{ kind: "credit", credit: id, cost: -paid }];
  });
}

/** Gives lines their amounts: floors to the currency's digits, then one each to the largest remainders. */
export function settle(lines: readonly DraftLine[], digits: number): Pick<Invoice, "lines" | "total"> {
  const unit = 10n ** BigInt(6 - digits);
  const total = divideHalfEven(
    lines.reduce((sum, { cost }) => sum + cost, 0n),
    unit,
  );
  const floors = lines.map(({ cost }) => divideFloor(cost, unit));
  let missing = total - floors.reduce((sum, floor) => sum + floor, 0n);
  const order = lines.map(({ cost }, at) => ({ at, rest: cost - (floors[at] ?? 0n) * unit }));
  order.sort((a, b) => (a.rest === b.rest ? a.at - b.at : a.rest > b.rest ? -1 : 1));
  for (const { at } of order) {
    if (missing <= 0n) break;
    floors[at] = (floors[at] ?? 0n) + 1n;
    missing -= 1n;
  }
  return {
    lines: lines.map((line, at) => ({
      ...line,
      cost: formatFixed(line.cost, 6),
      amount: formatFixed(floors[at] ?? 0n, digits),
    })),
    total: formatFixed(total, digits),
  };
}

/** The SHA-256 of an invoice without hash and signature, as canonical JSON (RFC 8785). */
export function invoiceHash({ hash: _hash, signature: _signature, ...rest }: Invoice): string {
  return createHash("sha256").update(canonicalJson(rest)).digest("hex");
}
