/** The controllers of Meter and PriceList: they say what of the book is accepted, and mirror closed invoices. */
import { type Context, type Controller, controller, every } from "@capstan/runtime";
import { type InvoiceKind, InvoiceResource, invoiceName, specOf } from "../kinds/invoice.ts";
import { type MeterKind, MeterResource } from "../kinds/meter.ts";
import { type PriceListKind, PriceListResource } from "../kinds/price-list.ts";
import { compareText } from "../number/order.ts";
import { listProblem, meterProblem } from "./object-book.ts";
import type { MeteringTools } from "./tools.ts";

/** The controller of meters. */
export function meterController(): Controller {
  return controller(MeterResource, {}, ({ object, status, event }) => {
    const problem = meterProblem(object);
    if (problem !== undefined) event("Warning", "Refused", problem);
    status.condition("Accepted", problem === undefined, acceptance(problem));
  });
}

function acceptance(problem: string | undefined): { readonly reason: string; readonly message: string } {
  return problem === undefined
    ? { reason: "Accepted", message: "" }
    : { reason: "Refused", message: problem.slice(0, 30_000) };
}

type ListContext = Context<PriceListKind, InvoiceKind, MeterKind | PriceListKind>;

/** The controller of price lists. The first one mirrors the invoices of the store. */
export function priceListController(tools: MeteringTools): Controller {
  const options = {
    owns: [InvoiceResource],
    reads: [MeterResource, PriceListResource],
    sources: [every("1m", { name: "closed invoices" })],
    concurrency: 1,
  } as const;
  return controller(PriceListResource, options, async (context) => {
    const { object, status, event, find } = context;
    const lists = find(PriceListResource, { namespace: "*" });
    const problem = listProblem(object, { meters: find(MeterResource, { namespace: "*" }), lists });
    if (problem !== undefined) event("Warning", "Refused", problem);
    status.condition("Accepted", problem === undefined, acceptance(problem));
    const [first] = lists.map(({ metadata }) => metadata.name).toSorted(compareText);
    if (first === object.metadata.name) await mirrorInvoices(context, tools);
  });
}

async function mirrorInvoices({ find, apply, status, event }: ListContext, tools: MeteringTools): Promise<void> {
  const there = new Map(find(InvoiceResource, { namespace: "*" }).map(({ metadata, spec }) => [metadata.name, spec]));
  const invoices = await tools.invoices();
  const strange: string[] = [];
  for (const invoice of invoices) {
    const name = invoiceName(invoice);
    const known = there.get(name);
    // An object outlives the list: what was billed does not depend on what things cost now.
    if (known === undefined) await apply(InvoiceResource, name, { spec: specOf(invoice) }, { owned: false });
    else if (known.hash !== invoice.hash) strange.push(name);
  }
  status.invoices = invoices.length;
  const message = strange.length === 0 ? "" : `not what the store has: ${strange.join(", ")}; delete them`;
  if (strange.length > 0) event("Warning", "InvoiceDiffers", message);
  status.condition("Mirrored", strange.length === 0, {
    reason: strange.length === 0 ? "Mirrored" : "InvoiceDiffers",
    message,
  });
}
