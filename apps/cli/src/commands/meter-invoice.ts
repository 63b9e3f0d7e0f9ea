/** `capstan meter invoice`: shows, closes, lists and verifies invoices. */
import { readFile } from "node:fs/promises";
import { type Invoice, closeInvoices, draftInvoices, readInvoices, verifyInvoices } from "@capstan/metering";
import { defineCommand, type Command } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { meterOptions, nowOf, openArchive, openStore, openWriter, placeIn, readBook } from "../meter/options.ts";
import { type Happening, audit } from "../meter/auditing.ts";
import { formatCsv } from "../meter/report-output.ts";
import { type Table, formatTable } from "../output/print.ts";
import type { Terminal } from "../terminal.ts";
import { withOut } from "../meter/with-out.ts";

const outputOption = {
  type: "text",
  short: "o",
  value: "FORMAT",
  choices: ["table", "json", "csv"],
  default: "table",
  describe: "how to print: table, json or csv",
} as const;

/** Shows or closes the invoices of a period. */
export const meterInvoice: Command = withOut(
  defineCommand({
    describe:
      "Without --close it shows what would be billed. A closed invoice never changes: what comes later is a correction on the next one.",
    options: {
      ...meterOptions,
      output: outputOption,
      period: { type: "text", value: "P", describe: "the rating period, such as 2026-03" },
      tenant: { type: "text", value: "T", describe: "only this tenant" },
      close: { type: "flag", describe: "freeze the invoices" },
      force: { type: "flag", describe: "close although meters are not imported up to the end" },
      "signing-key": { type: "text", value: "FILE", describe: "sign with this Ed25519 key (PEM)" },
      wait: { type: "flag", describe: "wait for another writer to end" },
    },
    examples: [
      { line: "capstan meter invoice --period 2026-03", does: "What March would cost each tenant" },
      { line: "capstan meter invoice --period 2026-03 --close --signing-key key.pem", does: "Freeze and sign" },
    ],
    run: async ({ options, terminal }) => {
      const { period, tenant, close, force, output } = options;
      if (period === undefined)
        throw new CliError("Usage", "capstan meter invoice needs --period, such as --period 2026-03");
      const book = await readBook(options, terminal);
      const request = { period, now: nowOf(options), ...(tenant !== undefined && { tenant }) };
      const keyFile = options["signing-key"];
      const signingKey = keyFile === undefined ? undefined : await readInput(terminal, keyFile);
      await using store = close
        ? await openWriter(options, terminal, options.wait)
        : await openStore(options, terminal);
      if (!close) return print(terminal, output, await draftInvoices(store, book, request));
      const { invoices, fresh, laggards } = await closeInvoices(store, book, {
        ...request,
        force,
        ...(signingKey !== undefined && { signingKey }),
      });
      const happenings = fresh.map(({ id, hash, total }): Happening => {
        const forced = laggards.length === 0 ? {} : { forced: true, notImported: laggards.join(", ") };
        return { action: "close", details: { invoice: id, hash, total, ...forced } };
      });
      await audit(options, { terminal, happenings });
      return print(terminal, output, invoices);
    },
  }),
);

/** Lists closed invoices. */
export const meterInvoiceList: Command = withOut(
  defineCommand({
    options: {
      ...meterOptions,
      output: outputOption,
      tenant: { type: "text", value: "T", describe: "only this tenant" },
    },
    examples: [{ line: "capstan meter invoice list --tenant acme", does: "All closed invoices of a tenant" }],
    run: async ({ options, terminal }) => {
      const { tenant } = options;
      await using opened = await openArchive(options, terminal);
      const all = await readInvoices(opened);
      print(terminal, options.output, tenant === undefined ? all : all.filter((invoice) => invoice.tenant === tenant));
    },
  }),
);

/** Verifies invoices. */
export const meterInvoiceVerify: Command = withOut(
  defineCommand({
    describe: "Without files all invoices of the store. Exit code 1 if any fails.",
    arguments: [{ name: "FILE", describe: "invoices as JSON", presence: "many" }],
    options: {
      ...meterOptions,
      output: outputOption,
      "public-key": { type: "text", value: "FILE", describe: "verify signatures with this key (PEM)" },
    },
    examples: [{ line: "capstan meter invoice verify --public-key key.pub", does: "Verify all of the store" }],
    run: async ({ options, args, terminal }) => {
      const keyFile = options["public-key"];
      const key = keyFile === undefined ? undefined : await readInput(terminal, keyFile);
      const files = await Promise.all(args.map((name) => readInvoiceFile(terminal, name)));
      await using opened = await openArchive(options, terminal);
      const invoices = args.length > 0 ? files.flat() : await readInvoices(opened);
      const verdicts = verifyInvoices(invoices, { publicKey: key, isWhole: args.length === 0 });
      if (options.output === "json") terminal.out(`${JSON.stringify(verdicts, undefined, 2)}\n`);
      else for (const { id, ok, problems } of verdicts) terminal.out(`${id}: ${ok ? "ok" : problems.join("; ")}\n`);
      return verdicts.every(({ ok }) => ok) ? 0 : 1;
    },
  }),
);

async function readInput(terminal: Terminal, name: string): Promise<string> {
  return readFile(placeIn(terminal, name), "utf8").catch((cause: unknown) => {
    throw new CliError("BadInput", `${name} cannot be read: give the path of a file`, { cause });
  });
}

async function readInvoiceFile(terminal: Terminal, name: string): Promise<readonly Invoice[]> {
  const text = await readInput(terminal, name);
  try {
    const value = JSON.parse(text) as Invoice | readonly Invoice[];
    return Array.isArray(value) ? (value as readonly Invoice[]) : [value as Invoice];
  } catch (cause) {
    throw new CliError("BadInput", `${name} is not an invoice as JSON`, { cause });
  }
}

function print(terminal: Terminal, output: string, invoices: readonly Invoice[]): void {
  if (output === "json") terminal.out(`${JSON.stringify(invoices, undefined, 2)}\n`);
  else if (output === "csv") terminal.out(formatCsv([csvTitles, ...invoices.flatMap(csvRows)]));
  else terminal.out(formatTable(toTable(invoices), terminal));
}

/** The columns of invoices as CSV. */
export const csvTitles: readonly string[] = [
  "id",
  "tenant",
  "period",
  "status",
  "kind",
  "meter",
  "from",
  "quantity",
  "unit",
  "price",
  "per",
  "cost",
  "amount",
  "currency",
];

/** The lines of an invoice as CSV. */
export function csvRows({ id, tenant, period, status, currency, lines }: Invoice): string[][] {
  return lines.map((line) => [
    id,
    tenant,
    period,
    status,
    line.kind,
    ...[line.meter, line.from, line.quantity, line.unit, line.price, line.per].map((cell) => cell ?? ""),
    line.cost,
    line.amount,
    currency,
  ]);
}

function toTable(invoices: readonly Invoice[]): Table {
  return {
    titles: ["INVOICE", "STATUS", "LINE", "METER", "QUANTITY", "UNIT", "AMOUNT"],
    rows: invoices.flatMap(({ id, status, lines, total, currency }) => [
      ...lines.map((line) => [
        id,
        status,
        line.kind,
        line.meter ?? line.credit ?? "",
        line.quantity ?? "",
        line.unit ?? "",
        line.amount,
      ]),
      [id, status, "total", "", "", "", `${total} ${currency}`],
    ]),
  };
}
