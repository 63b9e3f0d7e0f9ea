/** `capstan meter price`: what a quantity costs, or which prices there are. */
import { type Book, type Price, quote, zoneOf } from "@capstan/metering";
import { defineCommand, type Command } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { meterOptions, nowOf, readBook, timeOf } from "../meter/options.ts";
import { importOutput } from "../meter/print-import.ts";
import { print } from "../output/print.ts";
import { withOut } from "../meter/with-out.ts";

/** Prices a quantity, or lists the prices. */
export const meterPrice: Command = withOut(
  defineCommand({
    describe:
      "With --quantity it prices a quantity step by step; without it lists prices. --check only reads the book.",
    arguments: [{ name: "METER", describe: "the meter", presence: "optional" }],
    options: {
      ...meterOptions,
      output: importOutput,
      quantity: { type: "text", value: "Q", describe: "how much, in the unit of the price" },
      at: { type: "text", value: "TIME", describe: "when (now)" },
      tenant: { type: "text", value: "T", describe: "for this tenant" },
      check: { type: "flag", describe: "check the book" },
    },
    examples: [
      { line: "capstan meter price api.calls --quantity 150", does: "What 150 units cost now" },
      { line: "capstan meter price --check", does: "Check the book" },
    ],
    run: async ({ options, args: [meter], terminal }) => {
      const book = await readBook(options, terminal);
      if (options.check) {
        const counts = { meters: book.meters.size, prices: book.prices.length };
        const text = `the book is good: ${counts.meters} meters, ${counts.prices} prices\n`;
        return print({ terminal, output: options.output }, { value: { ok: true, ...counts }, table: text });
      }
      const { quantity, tenant, output } = options;
      if (quantity === undefined) {
        const prices = book.prices.filter((price) => meter === undefined || price.meter === meter);
        const value = priceList(prices);
        const rows = value.map((price) => [
          price.meter,
          price.steps[0]?.amount ?? "",
          price.per,
          price.tiers,
          price.from ?? "-",
        ]);
        return print(
          { terminal, output },
          { value, table: { titles: ["METER", "AMOUNT", "PER", "TIERS", "FROM"], rows } },
        );
      }
      if (meter === undefined) throw new CliError("Usage", "--quantity needs METER: the meter to price");
      const at = options.at === undefined ? nowOf(options) : timeOf("at", options.at, zoneOf(zoneNameOf(book, tenant)));
      const value = quote(book, { meter, quantity, at, ...(tenant !== undefined && { tenant }) });
      const rows = value.lines.map((line) => [String(line.step), line.quantity, line.amount, line.cost]);
      const table = {
        titles: ["STEP", "QUANTITY", "AMOUNT", "COST"],
        rows: [...rows, ["total", value.quantity, "", value.cost]],
      };
      return print({ terminal, output }, { value, table });
    },
  }),
);

function zoneNameOf({ timeZone, tenantZones }: Book, tenant: string | undefined): string {
  return (tenant === undefined ? undefined : tenantZones.get(tenant)) ?? timeZone;
}

/** Prices as they are printed. */
export function priceList(prices: readonly Price[]): readonly PrintedPrice[] {
  return prices.map(({ meter, per, tiers, steps, when, from }) => ({
    meter,
    per,
    tiers,
    ...(from !== undefined && { from: new Date(from).toISOString() }),
    when,
    steps: steps.map(({ upToText, amountText, flatText }) => ({
      ...(upToText !== undefined && { upTo: upToText }),
      amount: amountText,
      ...(flatText !== undefined && { flat: flatText }),
    })),
  }));
}

/** A price as it is printed. */
export interface PrintedPrice extends Pick<Price, "meter" | "per" | "tiers" | "when"> {
  readonly from?: string;
  readonly steps: readonly { readonly upTo?: string; readonly amount: string; readonly flat?: string }[];
}
