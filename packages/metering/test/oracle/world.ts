/** Random books and records for the oracle: plain data, and the book as JSON. */

/** A source of random numbers. */
export interface Dice {
  below(limit: number): number;
  pick<T>(list: readonly T[]): T;
  chance(percent: number): boolean;
}

/** Dice with a seed (xorshift). */
export function diceOf(seed: number): Dice {
  let state = (seed * 2_654_435_761 + 1) >>> 0 || 1;
  const below = (limit: number): number => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % limit;
  };
  return {
    below,
    pick: (list) => {
      const found = list[below(list.length)];
      if (found === undefined) throw new RangeError("an empty list");
      return found;
    },
    chance: (percent) => below(100) < percent,
  };
}

/** A meter of the world. */
export interface WorldMeter {
  readonly name: string;
  readonly type: "level" | "event";
  readonly unit: string;
  readonly aggregate?: "sum" | "count" | "max" | "last" | "unique";
  readonly unique?: string;
  readonly dimensions: readonly string[];
}

/** A price: `size` units of the meter, by seconds or months. */
export interface WorldPrice {
  readonly meter: string;
  readonly per: string;
  /** Units of the meter in one. */
  readonly size: bigint;
  /** Seconds in one; "month" for calendar months; absent for events. */
  readonly time?: bigint | "month";
  readonly amount?: string;
  readonly from?: string;
  readonly when?: { readonly [name: string]: string };
  readonly tiers?: "graduated" | "volume" | "package";
  readonly steps?: readonly { readonly upTo?: string; readonly amount: string; readonly flat?: string }[];
}

/** A record, as it is imported. */
export interface WorldRecord {
  readonly id: string;
  readonly meter?: string;
  readonly at?: string;
  readonly start?: string;
  readonly end?: string;
  readonly amount?: string;
  readonly namespace?: string;
  readonly tenant?: string;
  readonly dimensions?: { readonly [name: string]: string };
  readonly corrects?: string;
}

/** A whole world. */
export interface World {
  readonly currency: string;
  readonly digits: number;
  readonly timeZone: string;
  readonly ratingPeriod: "month" | "week" | "day";
  readonly importFrom?: string;
  readonly tenantZones: { readonly [tenant: string]: string };
  readonly meters: readonly WorldMeter[];
  readonly prices: readonly WorldPrice[];
  readonly minimums: readonly { readonly tenant: string; readonly amount: string }[];
  readonly credits: readonly { id: string; tenant: string; amount: string; from?: string; to?: string }[];
  readonly shared: readonly { name: string; match: { namespace: string }; by: SharedBy }[];
  readonly records: readonly WorldRecord[];
}

/** How a pool is divided. */
export type SharedBy =
  | "cost"
  | "even"
  | { readonly quantity: string }
  | { readonly weights: { readonly [name: string]: number } };

const zones = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Africa/Cairo"];
const namespaces = ["a", "b", "sys", "ünï", "𝒳", "Z\u{FF5E}"];
const tenants = ["acme", "b", "ünï"];
const begin = Date.UTC(2026, 1, 20);
const span = 70 * 86_400_000;

const levelUnits: readonly Pick<WorldPrice, "per" | "size" | "time">[] = [
  { per: "member-hour", size: 1n, time: 3600n },
  { per: "7 member-minute", size: 7n, time: 60n },
  { per: "member-day", size: 1n, time: 86_400n },
  { per: "member-month", size: 1n, time: "month" },
  { per: "3 member-month730", size: 3n, time: 730n * 3600n },
];
const byteUnits: readonly Pick<WorldPrice, "per" | "size" | "time">[] = [
  { per: "GiB-hour", size: 1024n ** 3n, time: 3600n },
  { per: "MB-month", size: 1_000_000n, time: "month" },
];

/** A random world. */
export function worldOf(dice: Dice): World {
  const meters = metersOf(dice);
  const ratingPeriod = dice.pick(["month", "week", "day"] as const);
  const timeZone = dice.pick(zones);
  const tenantZones = dice.chance(50) ? { acme: dice.pick(zones) } : {};
  const currency = dice.pick([["EUR", 2] as const, ["JPY", 0] as const, ["KWD", 3] as const]);
  const isUtc = timeZone === "UTC" && (tenantZones.acme ?? "UTC") === "UTC";
  return {
    currency: currency[0],
    digits: currency[1],
    timeZone,
    ratingPeriod,
    ...(dice.chance(20) && { importFrom: instant(dice) }),
    tenantZones,
    meters,
    prices: meters.flatMap((meter) => pricesOf(dice, { meter, mayTier: isUtc && ratingPeriod === "month" })),
    minimums: dice.chance(30)
      ? [
          { tenant: "*", amount: "3.10" },
          { tenant: "acme", amount: "7.777" },
        ]
      : [],
    credits: dice.chance(40)
      ? [
          { id: "z", tenant: "acme", amount: "1.25", from: "2026-01-01", to: "2026-12-01" },
          { id: "a", tenant: "b", amount: "100", to: "2026-12-01" },
          { id: "b", tenant: "acme", amount: "0.333333", from: "2026-02-25" },
        ]
      : [],
    shared: dice.chance(50) ? [{ name: "system", match: { namespace: "sys" }, by: sharedBy(dice) }] : [],
    records: recordsOf(dice, meters),
  };
}

function sharedBy(dice: Dice): SharedBy {
  return dice.pick<SharedBy>(["cost", "even", { quantity: "members" }, { weights: { acme: 3, a: 2, b: 1, 𝒳: 5 } }]);
}

function metersOf(dice: Dice): WorldMeter[] {
  const aggregate = dice.pick(["sum", "count", "max", "last", "unique"] as const);
  return [
    { name: "members", type: "level", unit: "member", dimensions: ["version"] },
    { name: "disk", type: "level", unit: "byte", dimensions: [] },
    { name: "calls", type: "event", unit: "call", dimensions: ["path"] },
    {
      name: "other",
      type: "event",
      unit: "thing",
      aggregate,
      ...(aggregate === "unique" && { unique: "user" }),
      dimensions: ["user"],
    },
  ];
}

function instant(dice: Dice): string {
  const grain = dice.pick([1, 1000, 60_000, 3_600_000]);
  return new Date(begin + Math.floor((dice.below(1_000_000) / 1_000_000) * (span / grain)) * grain).toISOString();
}

function money(dice: Dice): string {
  return dice.pick(["0", "0.25", "0.000001", "0.0000007", "1.5", "0.031611", "12.000000001", "0.333"]);
}

function pricesOf(dice: Dice, { meter, mayTier }: { meter: WorldMeter; mayTier: boolean }): WorldPrice[] {
  if (dice.chance(15)) return [];
  const unit = (): Pick<WorldPrice, "per" | "size" | "time"> =>
    meter.type === "event"
      ? dice.pick([
          { per: meter.unit, size: 1n },
          { per: `1000 ${meter.unit}`, size: 1000n },
        ])
      : dice.pick(meter.unit === "byte" ? byteUnits : levelUnits);
  const base = { meter: meter.name, ...unit() };
  const prices: WorldPrice[] = [
    dice.chance(mayTier ? 60 : 35) ? { ...base, ...tiersOf(dice) } : { ...base, amount: money(dice) },
  ];
  if (dice.chance(50)) prices.push({ meter: meter.name, ...unit(), amount: money(dice), from: instant(dice) });
  if (dice.chance(40)) prices.push({ meter: meter.name, ...unit(), amount: money(dice), when: { tenant: "acme" } });
  if (dice.chance(30))
    prices.push({
      meter: meter.name,
      ...unit(),
      amount: money(dice),
      from: instant(dice),
      when: { tenant: "acme", namespace: "b" },
    });
  return prices;
}

function tiersOf(dice: Dice): Pick<WorldPrice, "tiers" | "steps"> {
  return {
    tiers: dice.pick(["graduated", "volume", "package"] as const),
    steps: [
      { upTo: dice.pick(["1", "2.5"]), amount: money(dice), ...(dice.chance(30) && { flat: "0.5" }) },
      { upTo: dice.pick(["10", "1000"]), amount: money(dice) },
      { amount: money(dice), ...(dice.chance(40) && { flat: "5.00" }) },
    ],
  };
}

function recordsOf(dice: Dice, meters: readonly WorldMeter[]): WorldRecord[] {
  const records: WorldRecord[] = [];
  const count = 1 + dice.below(25);
  for (let at = 0; at < count; at++) {
    const meter = dice.pick(meters);
    const amount = dice.pick(["1", "0", "2.5", "0.000001", "3", "123456.789", "1073741824", "7"]);
    const start = instant(dice);
    const length = dice.pick([1, 1000, 3_600_000, 86_400_000, 20 * 86_400_000]) * (1 + dice.below(3));
    const place = {
      ...(dice.chance(85) && { namespace: dice.pick(namespaces) }),
      ...(dice.chance(40) && { tenant: dice.pick(tenants) }),
      ...(dice.chance(50) && { dimensions: { [meter.dimensions[0] ?? "extra"]: dice.pick(["x", "y", 'q"\n,']) } }),
    };
    const id = `r${at}`;
    if (meter.type === "event") records.push({ id, meter: meter.name, at: start, amount, ...place });
    else
      records.push({
        id,
        meter: meter.name,
        start,
        end: new Date(Date.parse(start) + length).toISOString(),
        amount,
        ...place,
      });
    const isSum = meter.type === "level" || meter.aggregate === undefined || meter.aggregate === "sum";
    if (isSum && dice.chance(15))
      records.push({ id: `c${at}`, corrects: id, amount: dice.pick(["5", "0.000001", `-${amount}`]) });
  }
  return records;
}

/** The book as JSON. */
export function bookText(world: World): string {
  const { currency, timeZone, ratingPeriod, importFrom, tenantZones, meters, prices, minimums, credits, shared } =
    world;
  return JSON.stringify({
    currency,
    timeZone,
    ratingPeriod,
    importFrom,
    tenants: { timeZones: tenantZones },
    meters,
    prices: prices.map(({ size: _size, time: _time, ...price }) => price),
    minimums,
    credits,
    shared,
  });
}
