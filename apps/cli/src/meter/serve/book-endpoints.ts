/** `GET meters` and `GET prices`. */
import { type Book, type Price, quote, tenancyOfStore, zoneOf } from "@capstan/metering";
import { priceList } from "../../commands/meter-price.ts";
import { timeOf } from "../options.ts";
import { type Answer, json } from "./answer.ts";
import { type Scope, covers, needTenant } from "./caller.ts";
import { HttpError } from "./http-error.ts";
import { Parameters } from "./parameters.ts";
import type { Setting } from "./setting.ts";

/** What is metered. */
export async function getMeters(setting: Setting, search: URLSearchParams): Promise<Answer> {
  new Parameters(search, ["format"]).choice("format", ["json"], "json");
  const { meters } = await setting.book();
  return json(
    [...meters.values()].map(({ name, type, unit, aggregate, unique, dimensions }) => ({
      name,
      type,
      unit,
      ...(type === "event" && { aggregate }),
      ...(unique !== undefined && { unique }),
      dimensions,
    })),
  );
}

/** The prices that the caller may see, or what a quantity costs. */
export async function getPrices(setting: Setting, search: URLSearchParams, scope: Scope): Promise<Answer> {
  const parameters = new Parameters(search, ["format", "meter", "quantity", "at", "tenant"]);
  parameters.choice("format", ["json"], "json");
  const [meter, quantity, at, tenant] = ["meter", "quantity", "at", "tenant"].map((name) => parameters.text(name));
  needTenant(scope, tenant);
  const book = await setting.book();
  const time = at === undefined ? setting.now() : timeOf("at", at, zoneOf(book.timeZone));
  if (quantity !== undefined) {
    if (meter === undefined) throw new HttpError(400, "quantity needs meter: the meter to price");
    return json(quote(book, { meter, quantity, at: time, ...(tenant !== undefined && { tenant }) }));
  }
  const own = scope.kind === "all" ? book.prices : await ownPrices(setting, book, scope);
  return json(priceList(own.filter((price) => meter === undefined || price.meter === meter)));
}

/** Prices without those for another tenant, or for another tenant's namespace: their names are not for the caller. */
async function ownPrices(setting: Setting, book: Book, scope: Scope): Promise<readonly Price[]> {
  await using store = await setting.openStore();
  const tenancy = await tenancyOfStore(store, book);
  return book.prices.filter(({ when }) => {
    const { tenant, namespace, cluster = "" } = when;
    if (tenant !== undefined && !covers(scope, tenant)) return false;
    return namespace === undefined || covers(scope, tenancy.tenantAt({ namespace, cluster }, setting.now()));
  });
}
