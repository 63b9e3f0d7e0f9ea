/** The oracle: what a report and an invoice must say, from the specification, in exact fractions and by brute force. */
import { type Kind, type Period, periodAt, periodsOf } from "./calendar.ts";
import {
  type Fraction,
  byBytes,
  byElements,
  decimal,
  fixed,
  fraction,
  halfEven,
  isLess,
  minus,
  over,
  plain,
  plus,
  shareOut,
  times,
} from "./fraction.ts";
import type { World, WorldMeter, WorldPrice } from "./world.ts";

/** What is asked. */
export interface Asked {
  readonly from: number;
  readonly to: number;
  readonly zone: string;
  readonly bucket: Kind;
  readonly by: readonly string[];
  readonly where?: readonly [string, string];
  readonly tenant?: string;
  readonly split: boolean;
}

interface Part {
  readonly meter: WorldMeter;
  readonly start: number;
  readonly quantity: bigint;
  readonly amount: bigint;
  readonly tenant: string;
  readonly dims: { readonly [name: string]: string };
  readonly id: string;
  readonly price: number;
  readonly month: bigint;
  readonly period: Period;
  readonly bucket: Period;
}

/** A row before it is shown. */
export interface Row {
  readonly bucket: Period;
  readonly meter: string;
  readonly charge: string;
  readonly values: readonly string[];
  readonly parts: readonly Part[];
  readonly cost: bigint | undefined;
  readonly line: string;
  readonly isCut: boolean;
}

const micro = 1_000_000n;
const nano = 1_000_000_000n;

function amountOf(text: string | undefined): bigint {
  return text === undefined
    ? micro
    : halfEven(times(decimal(text.replace("-", "")), fraction(micro))) * (text.startsWith("-") ? -1n : 1n);
}

function zoneOfTenant({ tenantZones, timeZone }: World, tenant: string): string {
  return tenantZones[tenant] ?? timeZone;
}

function priceAt(world: World, meter: string, at: number, dims: Part["dims"]): number {
  const start = ({ from }: WorldPrice): number => Date.parse(from ?? "1970-01-01T00:00:00Z");
  const whenOf = ({ when }: WorldPrice): readonly (readonly [string, string])[] => Object.entries(when ?? {});
  const holding = world.prices
    .map((price, index) => ({ price, index }))
    .filter(({ price }) => price.meter === meter && start(price) <= at)
    .filter(({ price }) => whenOf(price).every(([name, value]) => (dims[name] ?? "") === value));
  holding.sort((a, b) => whenOf(b.price).length - whenOf(a.price).length || start(b.price) - start(a.price));
  return holding[0]?.index ?? -1;
}

/** The parts of all records in the window: nothing that matters changes inside of one. */
function partsOf(world: World, asked: Asked): Part[] {
  const records = new Map(world.records.map((record) => [record.id, record]));
  return world.records.flatMap((given): Part[] => {
    const base = given.corrects === undefined ? given : records.get(given.corrects);
    const meter = world.meters.find(({ name }) => name === base?.meter);
    return base === undefined || meter === undefined ? [] : cutRecord({ world, asked, given, base, meter });
  });
}

interface Cutting {
  readonly world: World;
  readonly asked: Asked;
  readonly given: World["records"][number];
  readonly base: World["records"][number];
  readonly meter: WorldMeter;
}

function cutRecord({ world, asked, given, base, meter }: Cutting): Part[] {
  const tenant = base.tenant ?? base.namespace ?? "";
  const dims = { ...base.dimensions, tenant, namespace: base.namespace ?? "", cluster: "" };
  const amount = amountOf(given.amount);
  const isLevel = meter.type === "level";
  const zone = zoneOfTenant(world, tenant);
  const instants = cutsOf(world, asked, { base, zone, isLevel });
  return instants.slice(0, -1).map((at, index): Part => {
    const month = periodAt(zone, "month", at);
    return {
      meter,
      start: at,
      quantity: isLevel ? amount * BigInt((instants[index + 1] ?? at) - at) : amount * 1000n,
      amount,
      tenant,
      dims,
      id: given.id,
      price: priceAt(world, meter.name, at, dims),
      month: BigInt(month.end - month.start),
      period: periodAt(zone, world.ratingPeriod, at),
      bucket: bucketAt(asked, at),
    };
  });
}

function bucketAt({ bucket, zone, from, to }: Asked, at: number): Period {
  if (bucket === "total") return { name: "total", start: from, end: to };
  const { name, start, end } = periodAt(zone, bucket, at);
  return { name, start: Math.max(start, from), end: Math.min(end, to) };
}

interface Lying {
  readonly base: World["records"][number];
  readonly zone: string;
  readonly isLevel: boolean;
}

/** Where a record begins, is cut, and ends; nothing outside of the window. */
function cutsOf(world: World, asked: Asked, { base, zone, isLevel }: Lying): readonly number[] {
  const from = Date.parse((isLevel ? base.start : base.at) ?? "");
  const to = isLevel ? Date.parse(base.end ?? "") : from + 1;
  const importFrom = Date.parse(world.importFrom ?? "1970-01-01T00:00:00Z");
  const [start, end] = [Math.max(from, asked.from, importFrom), Math.min(to, asked.to)];
  if (start >= end) return [];
  const lists = [periodsOf(asked.zone, asked.bucket), periodsOf(zone, world.ratingPeriod), periodsOf(zone, "month")];
  const prices = world.prices.map((price) => Date.parse(price.from ?? "1970-01-01T00:00:00Z"));
  const inside = [...lists.flat().map((period) => period.start), ...prices].filter((at) => at > start && at < end);
  return [...new Set([start, ...inside, end])].sort((a, b) => a - b);
}

/** The quantity of parts by the aggregate of their meter. */
export function quantityOf(parts: readonly Part[]): bigint {
  const [first] = parts;
  switch (first?.meter.aggregate ?? "sum") {
    case "sum":
      return parts.reduce((sum, { quantity }) => sum + quantity, 0n);
    case "count":
      return BigInt(parts.length) * nano;
    case "max":
      return parts.reduce((most, { quantity }) => (quantity > most ? quantity : most), 0n);
    case "last":
      return parts.toSorted((a, b) => a.start - b.start || byBytes(a.id, b.id)).at(-1)?.quantity ?? 0n;
    case "unique":
      return BigInt(new Set(parts.map(({ dims, meter }) => dims[meter.unique ?? ""] ?? "")).size) * nano;
  }
}

function costOf(price: WorldPrice, parts: readonly Part[]): bigint {
  const inUnits = (quantity: bigint, time: Fraction): Fraction =>
    over(over(fraction(quantity, nano), time), fraction(price.size));
  const quantity =
    price.time === "month"
      ? parts.reduce((sum, part) => plus(sum, inUnits(part.quantity, fraction(part.month, 1000))), fraction(0))
      : inUnits(quantityOf(parts), fraction(price.time ?? 1n));
  return halfEven(times(exactCost(price, quantity), fraction(micro)));
}

function exactCost(price: WorldPrice, quantity: Fraction): Fraction {
  const { amount = "0", tiers, steps = [] } = price;
  const zero = fraction(0);
  if (tiers === undefined) return times(quantity, decimal(amount));
  switch (tiers) {
    case "volume": {
      const step = steps.find(({ upTo }) => upTo === undefined || !isLess(decimal(upTo), quantity));
      if (!isLess(zero, quantity)) return zero;
      return plus(times(quantity, decimal(step?.amount ?? "0")), decimal(step?.flat ?? "0"));
    }
    case "graduated":
      return stepByStep(steps, quantity);
    case "package":
      return stepByStep(steps, fraction((quantity.n + quantity.d - 1n) / quantity.d));
  }
}

function stepByStep(steps: NonNullable<WorldPrice["steps"]>, whole: Fraction): Fraction {
  let [sum, lower] = [fraction(0), fraction(0)];
  for (const { upTo, amount: rate, flat = "0" } of steps) {
    if (!isLess(lower, whole)) break;
    const upper = upTo === undefined || isLess(whole, decimal(upTo)) ? whole : decimal(upTo);
    sum = plus(plus(sum, times(minus(upper, lower), decimal(rate))), decimal(flat));
    lower = upper;
  }
  return sum;
}

function groups<T>(list: readonly T[], keyOf: (item: T) => unknown): (readonly T[])[] {
  return [...Map.groupBy(list, (item) => JSON.stringify(keyOf(item))).values()];
}

/** The rows of a window by dimensions: shares of their rating lines. */
export function rowsOf(world: World, asked: Asked, dims: readonly string[]): Row[] {
  const lines = groups(partsOf(world, asked), ({ meter, tenant, price, period }) => [
    meter.name,
    tenant,
    price,
    period.start,
  ]);
  return lines.flatMap((line): Row[] => {
    const [first] = line;
    if (first === undefined) return [];
    const price = world.prices[first.price];
    const cells = groups(line, ({ bucket, dims: values }) => [
      bucket.start,
      ...dims.map((name) => values[name] ?? ""),
    ]).map((parts) => ({
      parts,
      bucket: parts[0]?.bucket ?? first.bucket,
      values: dims.map((name) => parts[0]?.dims[name] ?? ""),
    }));
    const weights = cells.map(({ parts, bucket, values }) => ({
      key: [new Date(bucket.start).toISOString(), ...values],
      w: quantityOf(parts),
    }));
    const shares = price === undefined ? undefined : shareOut(costOf(price, line), weights);
    const isCut = first.period.start < asked.from || first.period.end > asked.to;
    return cells.map((cell, at) => ({
      ...cell,
      meter: first.meter.name,
      charge: "usage",
      cost: shares?.[at],
      line: JSON.stringify([first.meter.name, first.tenant, first.price, first.period.start]),
      isCut,
    }));
  });
}

/** Divides pools bucket by bucket. */
export function splitRows(world: World, rows: readonly Row[], dims: readonly string[]): Row[] {
  const [rule] = world.shared;
  if (rule === undefined) return [...rows];
  const place = dims.indexOf("namespace");
  return groups(rows, ({ bucket }) => bucket.start).flatMap((members) => {
    const pool = members.filter(({ values }) => values[place] === rule.match.namespace);
    const own = members.filter((row) => !pool.includes(row));
    const [first] = pool;
    if (first === undefined) return own;
    const weights = groups(own, ({ values }) => values[0]).map((mine) => {
      const name = mine[0]?.values[0] ?? "";
      return { key: [name], w: weightOf(rule.by, name, mine) };
    });
    const receivers = weights.filter(({ w }) => w > 0n);
    if (receivers.length === 0) return [...own, ...pool];
    const total = pool.reduce((sum, { cost = 0n }) => sum + cost, 0n);
    const shares = shareOut(total, receivers);
    return [
      ...own,
      ...receivers.map(({ key }, at) => ({
        bucket: first.bucket,
        meter: `shared.${rule.name}`,
        charge: "shared",
        values: dims.map((_, column) => (column === 0 ? (key[0] ?? "") : "")),
        parts: [],
        cost: shares[at] ?? 0n,
        line: "",
        isCut: false,
      })),
    ];
  });
}

function weightOf(by: World["shared"][number]["by"], name: string, rows: readonly Row[]): bigint {
  const isThere = rows.some(({ parts, cost = 0n }) => quantityOf(parts) !== 0n || cost !== 0n);
  if (by === "cost") return rows.reduce((sum, { cost = 0n }) => sum + cost, 0n);
  if (by === "even") return isThere ? 1n : 0n;
  if ("quantity" in by)
    return rows.reduce((sum, { meter, parts }) => (meter === by.quantity ? sum + quantityOf(parts) : sum), 0n);
  return isThere ? BigInt(by.weights[name] ?? 0) * micro : 0n;
}

/** A report: rows and total as JSON prints them. */
export function reportOf(world: World, asked: Asked): { rows: unknown[]; total: unknown } {
  const { by, where, tenant, split } = asked;
  const dims = [
    ...new Set([
      ...by,
      ...(where === undefined ? [] : [where[0]]),
      ...(tenant === undefined ? [] : ["tenant"]),
      ...(split && world.shared.length > 0 ? ["namespace"] : []),
    ]),
  ];
  const all = rowsOf(world, asked, dims);
  const divided = split ? splitRows(world, all, dims) : all;
  const valueOf = ({ values }: Row, name: string): string => values[dims.indexOf(name)] ?? "";
  const shown = divided.filter(
    (row) =>
      (where === undefined || valueOf(row, where[0]) === where[1]) &&
      (tenant === undefined || valueOf(row, "tenant") === tenant),
  );
  const rows = groups(shown, ({ bucket, meter, charge, values }) => [
    bucket.start,
    meter,
    charge,
    ...values.slice(0, by.length),
  ]).map((members) => summed(members, by));
  const printed = rows.filter(({ quantity, cost }) => quantity !== 0n || (cost ?? 0n) !== 0n);
  printed.sort(
    (a, b) =>
      a.start - b.start || byBytes(a.meter, b.meter) || byBytes(a.charge, b.charge) || byElements(a.values, b.values),
  );
  const total = printed.reduce((sum, { cost = 0n }) => sum + cost, 0n);
  const unpriced = [...new Set(printed.filter(({ isUnpriced }) => isUnpriced).map(({ meter }) => meter))].sort(byBytes);
  const units = new Map(
    world.meters.map(({ name, type, unit }) => [name, type === "level" ? `${unit}-seconds` : unit]),
  );
  return {
    rows: printed.map(({ bucket, meter, charge, values, quantity, cost, isCut }) => ({
      bucket: nameOf(bucket, asked),
      start: new Date(bucket.start).toISOString(),
      end: new Date(bucket.end).toISOString(),
      meter,
      charge,
      dimensions: Object.fromEntries(by.map((name, at) => [name, values[at] ?? ""])),
      quantity: plain(quantity),
      unit: units.get(meter) ?? "",
      cost: cost === undefined ? null : fixed(cost, 6),
      ...(isCut && { partial: true }),
    })),
    total: { cost: fixed(total, 6), unpriced },
  };
}

function nameOf({ name, start }: Period, { bucket, zone }: Asked): string {
  if (bucket !== "hour") return name;
  // Hours are named by their local start.
  const [hour = "", offset = ""] = name.split("|");
  const whole = periodAt(zone, "hour", start).start;
  const sign = offset.startsWith("-") ? -1 : 1;
  const minutes = sign * (Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4, 6)));
  return `${hour}:${new Date(whole + minutes * 60_000).toISOString().slice(14, 16)}${offset}`;
}

function summed(members: readonly Row[], by: readonly string[]) {
  const [first] = members;
  if (first === undefined) throw new RangeError("an empty group");
  const costs = members.flatMap(({ cost }) => (cost === undefined ? [] : [cost]));
  return {
    bucket: first.bucket,
    start: first.bucket.start,
    meter: first.meter,
    charge: first.charge,
    values: first.values.slice(0, by.length),
    quantity: quantityOf(members.flatMap(({ parts }) => parts)),
    cost: costs.length === 0 ? undefined : costs.reduce((sum, cost) => sum + cost, 0n),
    isUnpriced: members.some(({ cost, parts }) => cost === undefined && quantityOf(parts) !== 0n),
    isCut: members.some(({ isCut }) => isCut),
  };
}
