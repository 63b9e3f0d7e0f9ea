/** Reads a book from YAML or JSON: a book with any mistake is refused as a whole. */
import { type Document, LineCounter, isNode, parseDocument, visit } from "yaml";
import { MeterError } from "../error.ts";
import { zoneOf } from "../time/zone.ts";
import type { Book } from "./book.ts";
import { checkBook } from "./check-book.ts";
import { Field } from "./field.ts";
import { readCredits, readDuration, readExchange, readMinimums, readShared } from "./money-fields.ts";
import { readMeters } from "./meter-fields.ts";
import { readTime } from "./time-field.ts";
import { readNodes } from "./node-fields.ts";
import { readPrices } from "./price-fields.ts";

const fields = [
  "currency",
  "timeZone",
  "ratingPeriod",
  "importFrom",
  "tenants",
  "meters",
  "prices",
  "minimums",
  "credits",
  "shared",
  "exchange",
  "nodes",
  "retention",
  "bill",
];

/** Reads a book. */
export function parseBook(text: string): Book {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, uniqueKeys: true });
  const [problem] = document.errors;
  if (problem !== undefined)
    throw new MeterError("BadBook", `the book is refused: ${problem.message.split("\n")[0] ?? ""}`);
  keepDigits(document);
  const value: unknown = document.toJS() ?? {};
  return readBook(value, (path) => lineOf(document, counter, path));
}

/** Numbers with more digits than a float has stay text. */
function keepDigits(document: Document): void {
  visit(document, {
    Scalar: (_, node) => {
      const { value, source = "" } = node;
      if (typeof value === "number" && /^[-+]?[\d.]{16,}(?:[eE][-+]?\d+)?$/.test(source)) node.value = source;
    },
  });
}

function lineOf(document: Document, counter: LineCounter, path: string): number | undefined {
  const keys = path.split(/[.[\]]+/).filter((key) => key !== "");
  for (let length = keys.length; length > 0; length--) {
    const node = document.getIn(
      keys.slice(0, length).map((key) => (/^\d+$/.test(key) ? Number(key) : key)),
      true,
    );
    const start = isNode(node) ? node.range?.[0] : undefined;
    if (start !== undefined) return counter.linePos(start).line;
  }
  return undefined;
}

/** Reads a book from its value, as JSON has it. */
export function readBook(value: unknown, lineOf: (path: string) => number | undefined = () => undefined): Book {
  const root = new Field(value, "", lineOf).only(fields);
  const timeZone = readZone(root.member("timeZone")) ?? "UTC";
  const zone = zoneOf(timeZone);
  const meters = readMeters(root.member("meters"));
  const book: Book = {
    ...readCurrency(root.member("currency")),
    timeZone,
    ratingPeriod: root.member("ratingPeriod").choice(["month", "week", "day"], "month"),
    ...optional("importFrom", readTime(root.member("importFrom"), zone)),
    ...readTenants(root.member("tenants")),
    meters,
    prices: readPrices(root.member("prices"), { meters, zone }),
    minimums: readMinimums(root.member("minimums")),
    credits: readCredits(root.member("credits")),
    shared: readShared(root.member("shared"), meters),
    exchange: readExchange(root.member("exchange"), zone),
    ...optional("nodes", readNodes(root.member("nodes"), { meters, zone })),
    retention: readRetention(root.member("retention")),
    namespaceTag: readBill(root.member("bill")),
  };
  checkBook(book, root);
  return book;
}

function optional<Name extends string, T>(name: Name, value: T | undefined): { [key in Name]?: T } {
  // A computed name loses its literal type.
  return (value === undefined ? {} : { [name]: value }) as { [key in Name]?: T };
}

function readCurrency(field: Field): Pick<Book, "currency" | "currencyDigits"> {
  const currency = field.optionalText() ?? "USD";
  if (!/^[A-Z]{3}$/.test(currency) || !Intl.supportedValuesOf("currency").includes(currency))
    throw field.refuse(`${JSON.stringify(currency)} is not a currency of ISO 4217; write three capitals such as EUR`);
  return { currency, currencyDigits: currencyDigits(currency) };
}

/** ISO 4217 differs from what browsers print (CLDR) for these. */
const isoDigits: { readonly [currency: string]: number } = {
  AFN: 2,
  ALL: 2,
  AMD: 2,
  COP: 2,
  CRC: 2,
  HUF: 2,
  IDR: 2,
  IQD: 3,
  IRR: 2,
  KPW: 2,
  LAK: 2,
  LBP: 2,
  MGA: 2,
  MMK: 2,
  MUR: 2,
  PKR: 2,
  RSD: 2,
  SLL: 2,
  SOS: 2,
  SYP: 2,
  TZS: 2,
  UZS: 2,
  YER: 2,
  ZMK: 2,
  ISK: 0,
  UYI: 0,
  UYW: 4,
  CLF: 4,
  CZK: 2,
  TWD: 2,
  NOK: 2,
  SEK: 2,
  GYD: 2,
  MNT: 2,
};

function currencyDigits(currency: string): number {
  const known = isoDigits[currency];
  if (known !== undefined) return known;
  return new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits ?? 2;
}

function readZone(field: Field): string | undefined {
  const name = field.optionalText();
  if (name === undefined) return undefined;
  try {
    return zoneOf(name).name;
  } catch (error) {
    throw field.refuse(error instanceof Error ? error.message : String(error));
  }
}

function readTenants(field: Field): Pick<Book, "tenantLabel" | "tenantZones"> {
  if (field.isAbsent) return { tenantLabel: "capstan.dev/tenant", tenantZones: new Map() };
  field.only(["label", "timeZones"]);
  const zones = field.member("timeZones").entries();
  return {
    tenantLabel: field.member("label").optionalText() ?? "capstan.dev/tenant",
    tenantZones: new Map(zones.map(([tenant, zone]) => [tenant, readZone(zone) ?? "UTC"])),
  };
}

function readRetention(field: Field): Book["retention"] {
  if (field.isAbsent) return {};
  field.only(["usage", "journal"]);
  const [usage, journal] = [readDuration(field.member("usage")), readDuration(field.member("journal"))];
  return { ...(usage !== undefined && { usage }), ...(journal !== undefined && { journal }) };
}

function readBill(field: Field): string {
  if (field.isAbsent) return "namespace";
  return field.only(["namespaceTag"]).member("namespaceTag").optionalText() ?? "namespace";
}
