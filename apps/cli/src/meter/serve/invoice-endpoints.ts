/** `GET invoices` and `GET invoices/{id}`. */
import { type Invoice, draftInvoices, readInvoices } from "@capstan/metering";
import { csvRows, csvTitles } from "../../commands/meter-invoice.ts";
import { type Answer, csv, json } from "./answer.ts";
import { type Scope, covers, needTenant } from "./caller.ts";
import { HttpError } from "./http-error.ts";
import { Parameters } from "./parameters.ts";
import type { Setting } from "./setting.ts";

/** Closed invoices; with a period also what would be billed. */
export async function getInvoices(setting: Setting, search: URLSearchParams, scope: Scope): Promise<Answer> {
  const parameters = new Parameters(search, ["format", "period", "tenant"]);
  const format = parameters.choice("format", ["json", "csv"], "json");
  const [period, tenant] = [parameters.text("period"), parameters.text("tenant")];
  needTenant(scope, tenant);
  const all = period === undefined ? await closedOnes(setting) : await draft(setting, period);
  const shown = all.filter(
    (invoice) => covers(scope, invoice.tenant) && (tenant === undefined || invoice.tenant === tenant),
  );
  return format === "csv" ? csv([csvTitles, ...shown.flatMap(csvRows)]) : json(shown);
}

async function closedOnes(setting: Setting): Promise<readonly Invoice[]> {
  await using store = await setting.openStore();
  return await readInvoices(store);
}

async function draft(setting: Setting, period: string): Promise<readonly Invoice[]> {
  await using store = await setting.openStore();
  return draftInvoices(store, await setting.book(), { period, now: setting.now() });
}

/** A closed invoice; it never changes, so its hash is its ETag. */
export async function getInvoice(
  setting: Setting,
  { id, search, scope, known }: { id: string; search: URLSearchParams; scope: Scope; known: string | undefined },
): Promise<Answer> {
  const parameters = new Parameters(search, ["format"]);
  const format = parameters.choice("format", ["json", "csv"], "json");
  const all = await closedOnes(setting);
  const invoice = all.find((each) => each.id === id && covers(scope, each.tenant));
  // A foreign invoice and one that does not exist answer alike.
  if (invoice === undefined) throw new HttpError(404, `there is no invoice ${JSON.stringify(id)}`);
  const etag = `"${invoice.hash}${format === "csv" ? "-csv" : ""}"`;
  const headers = { ETag: etag, "Cache-Control": "private, max-age=0, must-revalidate" };
  const isKnown = known === "*" || (known ?? "").split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
  if (isKnown) return { status: 304, type: "", headers, body: [] };
  return { ...(format === "csv" ? csv([csvTitles, ...csvRows(invoice)]) : json(invoice)), headers };
}
