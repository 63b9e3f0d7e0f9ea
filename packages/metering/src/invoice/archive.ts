/** The closed invoices of a store: texts that never change. */
import { createPublicKey, verify } from "node:crypto";
import { MeterError } from "../error.ts";
import { divideHalfEven, parseFraction } from "../number/decimal.ts";
import { roundTo } from "../number/rational.ts";
import type { StoredText } from "../store/archive.ts";
import type { Store } from "../store/store.ts";
import { type Invoice, invoiceHash } from "./invoice.ts";

/** All closed invoices, in the order of their start. */
export async function readInvoices({ archive }: Pick<Store, "archive">): Promise<readonly Invoice[]> {
  const invoices = (await archive.invoices()).map(parseInvoice);
  return invoices.sort((a, b) => (a.start === b.start ? (a.id < b.id ? -1 : 1) : a.start < b.start ? -1 : 1));
}

function parseInvoice({ where, text }: StoredText): Invoice {
  try {
    return JSON.parse(text) as Invoice;
  } catch (cause) {
    throw new MeterError("Corrupt", `the invoice ${where} is not JSON; restore it from a backup`, { cause });
  }
}

/** Stores a closed invoice. */
export async function writeInvoice({ archive }: Pick<Store, "archive">, invoice: Invoice): Promise<void> {
  await archive.addInvoice(invoice.id, `${JSON.stringify(invoice, undefined, 2)}\n`);
}

/** The outcome of a verification. */
export interface Verdict {
  readonly id: string;
  readonly ok: boolean;
  readonly problems: readonly string[];
}

/** How invoices are verified. */
export interface Verification {
  /** PEM; without it signatures are not verified. */
  readonly publicKey?: string | undefined;
  /** The invoices are all of a store: the first one of each tenant has none before it. */
  readonly isWhole?: boolean;
}

/** Verifies hash, chain, sums and, with a key, the signature. */
export function verifyInvoices(
  invoices: readonly Invoice[],
  { publicKey, isWhole = false }: Verification = {},
): Verdict[] {
  const last = new Map<string, string | null>();
  const ordered = invoices.toSorted((a, b) => Date.parse(a.start) - Date.parse(b.start));
  if (isWhole) for (const { tenant } of invoices) last.set(tenant, null);
  return ordered.map((invoice) => {
    const before = last.get(invoice.tenant);
    last.set(invoice.tenant, invoice.hash);
    const problems = [
      ...(invoiceHash(invoice) === invoice.hash ? [] : ["the hash does not fit the content"]),
      ...(before === undefined || before === invoice.previous
        ? []
        : ["previous is not the hash of the invoice before"]),
      ...(sumOf(invoice.lines.map(({ amount }) => amount)) === sumOf([invoice.total])
        ? []
        : ["the amounts do not add up to the total"]),
      ...(isTotalOfCosts(invoice) ? [] : ["the total is not the rounded sum of the costs"]),
      ...(invoice.status === "closed" ? [] : ["the invoice is not closed"]),
      ...(publicKey === undefined ? [] : signatureProblems(invoice, publicKey)),
    ];
    return { id: invoice.id, ok: problems.length === 0, problems };
  });
}

function sumOf(amounts: readonly string[]): bigint {
  return amounts.reduce((sum, text) => sum + roundTo(parseFraction(text) ?? { over: 0n, under: 1n }, 6), 0n);
}

function isTotalOfCosts({ lines, total }: Invoice): boolean {
  const digits = /\.(\d+)$/.exec(total)?.[1]?.length ?? 0;
  const unit = 10n ** BigInt(6 - digits);
  return divideHalfEven(sumOf(lines.map(({ cost }) => cost)), unit) * unit === sumOf([total]);
}

function signatureProblems({ hash, signature }: Invoice, publicKey: string): string[] {
  if (signature === null || hash === null) return ["there is no signature"];
  const isGood = verify(null, Buffer.from(hash, "hex"), createPublicKey(publicKey), Buffer.from(signature, "base64"));
  return isGood ? [] : ["the signature does not fit"];
}
