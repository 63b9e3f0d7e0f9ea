/** Reads one usage record or CloudEvent, or says why it cannot be stored. */
import type { Book, Meter } from "../book/book.ts";
import { nearest } from "../book/nearest.ts";
import { parseAmount } from "../number/decimal.ts";
import { compareText } from "../number/order.ts";
import { formatInstant, parseInstant } from "../time/instant.ts";
import type { Reason, UsageRow } from "./usage.ts";

/** Records further in the future than this are rejected. */
const futureLimit = 5 * 60_000;

/** What reading a record needs. */
export interface RecordContext {
  readonly book: Book;
  readonly now: number;
  readonly source: string;
  /** Replaces the values of hashed dimensions. */
  readonly hash?: (value: string) => string;
}

/** A record without the fields that a correction takes from the corrected record. */
export interface Correction {
  readonly source: string;
  readonly id: string;
  readonly corrects: string;
  readonly amount: bigint;
}

/** The outcome of reading one record. */
export type ParsedRecord =
  | { readonly kind: "row"; readonly row: UsageRow }
  | { readonly kind: "correction"; readonly correction: Correction }
  | { readonly kind: "problem"; readonly id?: string; readonly reason: Reason; readonly message: string };

type Fields = { readonly [name: string]: unknown };

function problem(reason: Reason, message: string, id?: string): ParsedRecord {
  return { kind: "problem", reason, message, ...(id !== undefined && { id }) };
}

/** Reads a record. */
export function parseRecord(input: unknown, context: RecordContext): ParsedRecord {
  if (typeof input !== "object" || input === null || Array.isArray(input))
    return problem("BadRecord", "a record must be a JSON object");
  const given = input as Fields;
  const isEvent = given["specversion"] !== undefined;
  const fields = isEvent ? fromCloudEvent(given) : given;
  const id = textOf(fields["id"]);
  if (id === undefined) return problem("BadRecord", "the field id is required: a text that is never used twice");
  // An exported record names its source: it keeps its identity wherever it is imported.
  const source = isEvent ? textOf(given["source"]) : (textOf(given["source"]) ?? context.source);
  if (source === undefined) return problem("BadRecord", "the CloudEvent has no source", id);
  const wrong = ["namespace", "tenant", "cluster", "corrects"].find((name) => isWrongText(fields[name]));
  if (wrong !== undefined) return problem("BadRecord", `${wrong} must be text`, id);
  const corrects = textOf(fields["corrects"]);
  if (corrects !== undefined) return parseCorrection(fields, { source, id, corrects });
  return parseRow(fields, { ...context, source, id });
}

function isWrongText(value: unknown): boolean {
  return value !== undefined && value !== null && typeof value !== "string";
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function fromCloudEvent(event: Fields): Fields {
  const data = event["data"];
  const body: Fields = typeof data === "object" && data !== null && !Array.isArray(data) ? (data as Fields) : {};
  return {
    ...body,
    id: event["id"],
    meter: event["type"],
    at: event["time"],
    tenant: event["subject"] ?? body["tenant"],
  };
}

function amountOf(value: unknown): bigint | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? parseAmount(String(value)) : undefined;
  if (typeof value === "bigint") return parseAmount(String(value));
  return typeof value === "string" ? parseAmount(value) : undefined;
}

function parseCorrection(fields: Fields, keys: Omit<Correction, "amount">): ParsedRecord {
  const amount = amountOf(fields["amount"]);
  if (amount === undefined) return problem("BadAmount", badAmount(fields["amount"]), keys.id);
  return { kind: "correction", correction: { ...keys, amount } };
}

function badAmount(value: unknown): string {
  if (value === undefined || value === null) return "the field amount is required";
  return `${JSON.stringify(value)} is not an amount: a decimal below 10^24 in size, as text or number`;
}

function parseRow(fields: Fields, context: RecordContext & { readonly id: string }): ParsedRecord {
  const { book, id, source } = context;
  const name = textOf(fields["meter"]);
  const meter = name === undefined ? undefined : book.meters.get(name);
  if (meter === undefined) return unknownMeter(name, book, id);
  const times = timesOf(fields, meter, context.now);
  if ("reason" in times) return problem(times.reason, times.message, id);
  const isCounted = meter.aggregate === "count" || meter.aggregate === "unique";
  const given = fields["amount"] ?? undefined;
  const amount = given === undefined && isCounted ? 1_000_000n : amountOf(given);
  if (amount === undefined) return problem("BadAmount", badAmount(given), id);
  if (amount < 0n)
    return problem("BadAmount", "a negative amount needs corrects: the id of the record that it corrects", id);
  const dimensions = dimensionsOf(fields["dimensions"], { meter, hash: context.hash });
  if (dimensions === undefined) return problem("BadRecord", "dimensions must be an object of texts", id);
  return {
    kind: "row",
    row: {
      meter: meter.name,
      ...times,
      amount,
      tenant: textOf(fields["tenant"]) ?? "",
      namespace: textOf(fields["namespace"]) ?? "",
      cluster: textOf(fields["cluster"]) ?? "",
      dimensions,
      source,
      id,
      corrects: "",
    },
  };
}

function unknownMeter(name: string | undefined, book: Book, id: string): ParsedRecord {
  if (name === undefined) return problem("UnknownMeter", "the field meter is required", id);
  const meant = nearest(name, [...book.meters.keys()]);
  const cure = meant === undefined ? "add it to the book" : `did you mean ${meant}?`;
  return problem("UnknownMeter", `the book has no meter ${JSON.stringify(name)}; ${cure}`, id);
}

type Times = { readonly start: number; readonly end: number };

function timesOf(
  fields: Fields,
  meter: Meter,
  now: number,
): Times | { readonly reason: Reason; readonly message: string } {
  const bad = (message: string) => ({ reason: "BadTime" as const, message });
  const read = (name: string): number | undefined => {
    const value = fields[name];
    return typeof value === "string" ? parseInstant(value) : undefined;
  };
  const names = meter.type === "level" ? ["start", "end"] : ["at"];
  const instants = names.map(read);
  for (const [at, name] of names.entries()) {
    if (instants[at] !== undefined) continue;
    const value = fields[name];
    return bad(
      value === undefined || value === null
        ? `${meter.name} is of type ${meter.type}: the field ${name} is required`
        : `${name} ${JSON.stringify(value)} is not a time of RFC 3339 such as 2026-03-01T00:00:00Z`,
    );
  }
  const [start = 0, end = start + 1] = instants;
  if (end <= start) return bad("end must be after start");
  const last = names.length === 2 ? end : start;
  if (last > now + futureLimit)
    return {
      reason: "Future",
      message: `${formatInstant(last)} is more than 5 minutes after now (${formatInstant(now)})`,
    };
  return { start, end };
}

interface DimensionContext {
  readonly meter: Pick<Meter, "hash">;
  readonly hash: ((value: string) => string) | undefined;
}

/** Dimensions as canonical JSON; undefined where they are not an object of texts. */
export function dimensionsOf(value: unknown, { meter, hash }: DimensionContext): string | undefined {
  if (value === undefined || value === null) return "{}";
  if (typeof value !== "object" || Array.isArray(value)) return undefined;
  const entries: [string, string][] = [];
  for (const [name, item] of Object.entries(value)) {
    if (item === null || item === "") continue;
    if (typeof item !== "string" && typeof item !== "number" && typeof item !== "boolean") return undefined;
    const text = String(item);
    entries.push([name, hash !== undefined && meter.hash.includes(name) ? hash(text) : text]);
  }
  return canonicalDimensions(entries);
}

/** Pairs as JSON with sorted keys. */
export function canonicalDimensions(entries: readonly (readonly [string, string])[]): string {
  if (entries.length === 0) return "{}";
  const sorted = entries.filter(([, value]) => value !== "").sort(([a], [b]) => compareText(a, b));
  return `{${sorted.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(",")}}`;
}
