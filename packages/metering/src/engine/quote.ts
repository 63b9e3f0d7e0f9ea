/** What a quantity of a meter costs at a time, step by step. */
import type { Book } from "../book/book.ts";
import { MeterError } from "../error.ts";
import { formatFixed, parseFraction } from "../number/decimal.ts";
import { type Rational, rational, roundTo } from "../number/rational.ts";
import { formatInstant } from "../time/instant.ts";
import { costLines, costOf } from "./cost.ts";
import { priceListOf } from "./pricing.ts";

/** What is asked; the quantity is in units of the price. */
export interface QuoteRequest {
  readonly meter: string;
  readonly quantity: string;
  readonly at: number;
  readonly tenant?: string;
}

/** The price of a quantity as it is printed. */
export interface Quote {
  readonly meter: string;
  readonly quantity: string;
  readonly per: string;
  readonly tenant: string | null;
  readonly at: string;
  readonly lines: readonly {
    readonly step: number;
    readonly quantity: string;
    readonly amount: string;
    readonly cost: string;
    readonly flat?: true;
  }[];
  readonly cost: string;
}

/** Says what a quantity costs. */
export function quote(book: Book, { meter, quantity, at, tenant }: QuoteRequest): Quote {
  if (!book.meters.has(meter)) throw new MeterError("BadInput", `the book has no meter ${JSON.stringify(meter)}`);
  const fraction = parseFraction(quantity);
  if (fraction === undefined || fraction.over < 0n)
    throw new MeterError("BadInput", `--quantity ${JSON.stringify(quantity)} is not a decimal from 0`);
  const list = priceListOf(book.prices.filter((price) => price.meter === meter));
  const price = list.priceAt(at, (name) => (name === "tenant" ? (tenant ?? "") : ""));
  if (price === undefined)
    throw new MeterError(
      "NotReady",
      `no price of ${meter} holds at ${formatInstant(at)}; give another --at or --tenant`,
    );
  const amount = rational(fraction.over, fraction.under);
  return {
    meter,
    quantity: formatRational(amount),
    per: price.per,
    tenant: tenant ?? null,
    at: formatInstant(at),
    lines: costLines(price, amount).map((line) => {
      const step = price.steps[line.step - 1];
      const rate = (line.flat === true ? step?.flatText : step?.amountText) ?? "0";
      return {
        step: line.step,
        quantity: formatRational(line.quantity),
        amount: rate,
        cost: formatFixed(roundTo(line.cost, 6), 6),
        ...(line.flat === true && { flat: true as const }),
      };
    }),
    cost: formatFixed(costOf(price, amount), 6),
  };
}

/** A decimal without trailing zeros; quantities and prices of a book have finite decimals. */
function formatRational(value: Rational): string {
  const digits = 18;
  let [rest, places] = [roundTo(value, digits), digits];
  while (places > 0 && rest % 10n === 0n) [rest, places] = [rest / 10n, places - 1];
  return formatFixed(rest, places);
}
