/** Reads the prices of a book. */
import { type Rational, compare } from "../number/rational.ts";
import type { Zone } from "../time/zone.ts";
import type { Meter, Price, Step } from "./book.ts";
import { compareKeys } from "../number/order.ts";
import type { Field } from "./field.ts";
import { nearest } from "./nearest.ts";
import { readTime } from "./time-field.ts";
import { parseUnit } from "./unit.ts";

interface Known {
  readonly meters: ReadonlyMap<string, Meter>;
  readonly zone: Zone;
}

/** Reads all prices, and rejects two that could both apply to one record with equal precedence. */
export function readPrices(field: Field, known: Known): Price[] {
  const items = field.items();
  const prices = items.map((item, order) => readPrice(item, { ...known, order }));
  for (const [at, price] of prices.entries()) {
    const rival = prices.slice(0, at).find((other) => contradicts(other, price));
    const item = items[at];
    if (rival === undefined || item === undefined) continue;
    const same = whenKey(rival) === whenKey(price);
    throw item.refuse(
      same
        ? `prices[${rival.order}] has the same meter, when and from; give this one another from`
        : `prices[${rival.order}] has as many keys in when, and one record could match both; add a key to one of them`,
    );
  }
  return prices;
}

/** A key for comparisons: equal if the conditions in `when` are equal. */
export function whenKey({ when }: Pick<Price, "when">): string {
  return JSON.stringify(Object.entries(when).sort((a, b) => compareKeys(a, b)));
}

function contradicts(a: Price, b: Price): boolean {
  if (a.meter !== b.meter) return false;
  if (whenKey(a) === whenKey(b)) return a.from === b.from;
  const [left, right] = [Object.entries(a.when), Object.entries(b.when)];
  return left.length === right.length && left.every(([name, value]) => (b.when[name] ?? value) === value);
}

function readPrice(item: Field, { meters, zone, order }: Known & { readonly order: number }): Price {
  item.only(["meter", "amount", "per", "from", "when", "tiers", "steps"]);
  const meter = meterOf(item.member("meter"), meters);
  const per = item.member("per").text();
  const unit = parseUnit(per, meter);
  if (typeof unit === "string") throw item.member("per").refuse(unit);
  const from = readTime(item.member("from"), zone);
  return {
    order,
    meter: meter.name,
    unit,
    per,
    ...(from !== undefined && { from }),
    when: readWhen(item.member("when"), meter),
    ...readTiers(item),
  };
}

/** The meter that a field names. */
export function meterOf(field: Field, meters: ReadonlyMap<string, Meter>): Meter {
  const name = field.text();
  const meter = meters.get(name);
  if (meter !== undefined) return meter;
  const meant = nearest(name, [...meters.keys()]);
  throw field.refuse(
    `there is no meter ${JSON.stringify(name)}; ${meant === undefined ? "add it under meters" : `did you mean ${meant}?`}`,
  );
}

function readWhen(field: Field, meter: Meter): { readonly [name: string]: string } {
  const when = field.strings();
  const isClosed = meter.builtIn === undefined && (meter.objects !== undefined || meter.prometheus !== undefined);
  const known = ["tenant", "namespace", "cluster", ...meter.dimensions];
  for (const name of Object.keys(when)) {
    if (!isClosed || known.includes(name)) continue;
    const meant = nearest(name, known);
    throw field
      .member(name)
      .refuse(
        `the meter ${meter.name} has no dimension ${JSON.stringify(name)}${meant === undefined ? "" : `; did you mean ${meant}?`}`,
      );
  }
  return when;
}

function readTiers(item: Field): Pick<Price, "tiers" | "steps"> {
  const [tiers, steps, amount] = [item.member("tiers"), item.member("steps"), item.member("amount")];
  if (tiers.isAbsent && steps.isAbsent)
    return { tiers: "simple", steps: [{ amount: positive(amount), amountText: amountText(amount) }] };
  if (!amount.isAbsent) throw amount.refuse("a price has amount, or tiers with steps, not both");
  const kind = tiers.choice(["graduated", "volume", "package"]);
  return { tiers: kind, steps: readSteps(steps) };
}

function positive(field: Field): Rational {
  const value = field.decimal();
  if (value.over < 0n) throw field.refuse("must not be negative; use credits to give money back");
  return value;
}

function amountText(field: Field): string {
  return typeof field.value === "number" ? String(field.value) : field.text();
}

function readSteps(field: Field): Step[] {
  const items = field.items();
  if (items.length === 0) throw field.refuse("at least one step is required");
  const steps = items.map((item, at): Step => {
    item.only(["upTo", "amount", "flat"]);
    const [upTo, flat] = [item.member("upTo"), item.member("flat")];
    if (upTo.isAbsent && at < items.length - 1) throw upTo.refuse("is required in every step but the last");
    if (!upTo.isAbsent && at === items.length - 1)
      throw upTo.refuse("the last step has no upTo: it holds for all above");
    return {
      ...(!upTo.isAbsent && { upTo: positive(upTo), upToText: amountText(upTo) }),
      ...stepAmount(item.member("amount"), flat),
      ...(!flat.isAbsent && { flat: positive(flat), flatText: amountText(flat) }),
    };
  });
  for (const [at, step] of steps.entries()) {
    const before = steps[at - 1]?.upTo;
    if (before !== undefined && step.upTo !== undefined && compare(before, step.upTo) >= 0)
      throw field.refuse(`upTo of step ${at + 1} must be above that of step ${at}`);
  }
  return steps;
}

function stepAmount(field: Field, flat: Field): Pick<Step, "amount" | "amountText"> {
  if (field.isAbsent && !flat.isAbsent) return { amount: { over: 0n, under: 1n }, amountText: "0" };
  return { amount: positive(field), amountText: amountText(field) };
}
