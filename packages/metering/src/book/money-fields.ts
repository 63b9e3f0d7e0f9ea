/** Reads minimums, credits, shared pools, exchange rates and retention of a book. */
import { roundTo } from "../number/rational.ts";
import { parseDuration } from "../time/instant.ts";
import type { Zone } from "../time/zone.ts";
import type { Credit, Exchange, Meter, Minimum, SharedBy, SharedRule } from "./book.ts";
import type { Field } from "./field.ts";
import { meterOf } from "./price-fields.ts";
import { readTime } from "./time-field.ts";

function money(field: Field): bigint {
  const amount = roundTo(field.decimal(), 6);
  if (amount < 0n) throw field.refuse("must not be negative");
  return amount;
}

/** Reads the minimums. */
export function readMinimums(field: Field): Minimum[] {
  return field.items().map((item) => {
    item.only(["tenant", "amount"]);
    return { tenant: item.member("tenant").optionalText() ?? "*", amount: money(item.member("amount")) };
  });
}

/** Reads the credits. */
export function readCredits(field: Field): Credit[] {
  const seen = new Set<string>();
  return field.items().map((item) => {
    item.only(["id", "tenant", "amount", "from", "to"]);
    const id = item.member("id").text();
    if (seen.has(id)) throw item.member("id").refuse(`the credit ${id} occurs twice`);
    seen.add(id);
    return {
      id,
      tenant: item.member("tenant").text(),
      amount: money(item.member("amount")),
      from: item.member("from").optionalText(),
      to: item.member("to").optionalText(),
    };
  });
}

/** Reads the shared pools. */
export function readShared(field: Field, meters: ReadonlyMap<string, Meter>): SharedRule[] {
  return field.items().map((item) => {
    item.only(["name", "match", "by"]);
    const match = item.member("match").strings();
    if (Object.keys(match).length === 0)
      throw item.member("match").refuse("is required, such as { namespace: kube-system }");
    return { name: item.member("name").text(), match, by: readBy(item.member("by"), meters) };
  });
}

function readBy(field: Field, meters: ReadonlyMap<string, Meter>): SharedBy {
  if (field.isAbsent || typeof field.value === "string") return { kind: field.choice(["cost", "even"], "cost") };
  field.only(["quantity", "weights"]);
  const quantity = field.member("quantity");
  if (!quantity.isAbsent) return { kind: "quantity", meter: meterOf(quantity, meters).name };
  const weights = field.member("weights").entries();
  if (weights.length === 0) throw field.refuse("write cost, even, { quantity: METER } or { weights: { a: 3, b: 1 } }");
  return { kind: "weights", weights: new Map(weights.map(([name, weight]) => [name, money(weight)])) };
}

/** Reads the exchange rates. */
export function readExchange(field: Field, zone: Zone): Exchange[] {
  return field.items().map((item) => {
    item.only(["from", "to", "rate", "since"]);
    return {
      from: item.member("from").text(),
      to: item.member("to").text(),
      rate: item.member("rate").decimal(),
      since: readTime(item.member("since"), zone) ?? Number.NEGATIVE_INFINITY,
    };
  });
}

/** Reads a duration such as `400d` as milliseconds. */
export function readDuration(field: Field): number | undefined {
  const text = field.optionalText();
  if (text === undefined) return undefined;
  const duration = parseDuration(text);
  if (duration === undefined) throw field.refuse(`${JSON.stringify(text)} is not a duration such as 400d`);
  return duration;
}
