/** Units of prices: `member-hour`, `GiB-month`, `1000 call`, and how much of a meter's unit one of them is. */
import { type Rational, multiply, rational } from "../number/rational.ts";

/** The time part of a unit. */
export type TimeSuffix = "second" | "minute" | "hour" | "day" | "month" | "month730";

/** How a quantity becomes a multiple of the unit. */
export interface Unit {
  /** Units of the meter in one: 1024^3 for `GiB` of a meter in bytes, times the count. Months are not in it. */
  readonly size: Rational;
  readonly time?: TimeSuffix;
}

const suffixSeconds: { readonly [suffix in TimeSuffix]: bigint } = {
  second: 1n,
  minute: 60n,
  hour: 3600n,
  day: 86_400n,
  month: 1n,
  month730: 730n * 3600n,
};

const byteUnits: ReadonlyMap<string, bigint> = new Map([
  ["byte", 1n],
  ["B", 1n],
  ["KB", 1000n],
  ["MB", 1000n ** 2n],
  ["GB", 1000n ** 3n],
  ["TB", 1000n ** 4n],
  ["KiB", 1024n],
  ["MiB", 1024n ** 2n],
  ["GiB", 1024n ** 3n],
  ["TiB", 1024n ** 4n],
]);

/** The bytes in a unit; undefined for units that are not of bytes. */
export function bytesIn(unit: string): bigint | undefined {
  return byteUnits.get(unit);
}

const form = /^(?:([1-9]\d{0,17}) +)?(\S.*)$/;
const timed = /^(.+)-(second|minute|hour|day|month730|month)$/;

/** Reads `per` for a meter's unit, or says why it does not fit. */
export function parseUnit(per: string, meter: { readonly unit: string; readonly type: string }): Unit | string {
  const found = form.exec(per);
  if (found === null) return `${JSON.stringify(per)} is not a unit`;
  const count = BigInt(found[1] ?? "1");
  const word = found[2] ?? "";
  if (meter.type !== "level") {
    const ratio = ratioOf(word, meter.unit);
    if (ratio !== undefined) return { size: multiply(ratio, rational(count)) };
    return timed.test(word)
      ? `per ${JSON.stringify(per)} has a time, but the meter counts ${meter.unit}; write ${JSON.stringify(meter.unit)}`
      : `per ${JSON.stringify(per)} does not fit the meter's unit; write ${JSON.stringify(meter.unit)}`;
  }
  const split = timed.exec(word);
  if (split === null) return `per ${JSON.stringify(per)} needs a time; write ${JSON.stringify(`${meter.unit}-hour`)}`;
  const ratio = ratioOf(split[1] ?? "", meter.unit);
  if (ratio === undefined)
    return `per ${JSON.stringify(per)} does not fit the meter's unit; write ${JSON.stringify(`${meter.unit}-hour`)}`;
  const time = split[2] as TimeSuffix;
  return { size: multiply(ratio, rational(count * suffixSeconds[time])), time };
}

function ratioOf(word: string, unit: string): Rational | undefined {
  if (word === unit) return rational(1n);
  const [asked, own] = [byteUnits.get(word), byteUnits.get(unit)];
  return asked === undefined || own === undefined ? undefined : rational(asked, own);
}
