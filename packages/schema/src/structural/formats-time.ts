/** Dates, times and durations in strings, accepted like Go's time package and the OpenAPI formats. */

const datePattern = /^(\d{4})-(\d{2})-(\d{2})$/;

function daysIn(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

/** A full date of RFC 3339 that exists in the calendar. */
export function isDate(text: string): boolean {
  const match = datePattern.exec(text);
  if (match === null) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

const timePattern = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$/u;

/** A date and time of RFC 3339; as in the server, anything after a second `T` is ignored. */
export function isDateTime(text: string): boolean {
  const parts = text.toLowerCase().split("t");
  if (text.length < 4 || parts.length < 2 || !isDate(parts[0] ?? "")) return false;
  const match = timePattern.exec(parts[1] ?? "");
  return match !== null && (match[1] ?? "") <= "23" && (match[2] ?? "") <= "59" && (match[3] ?? "") <= "59";
}

const goUnits: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  "\u00b5s": 1000n,
  "\u03bcs": 1000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

const goDuration = /^[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/u;
const goPart = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/gu; // linear: only texts that match goDuration
const maxDuration = 2n ** 63n;

/** Nanoseconds of a Go duration such as `1h30m`; undefined if it is invalid. */
export function parseGoDuration(text: string): bigint | undefined {
  if (/^[+-]?0$/.test(text)) return 0n;
  if (!goDuration.test(text)) return undefined;
  let total = 0n;
  for (const [, amount = "", unit = ""] of text.matchAll(goPart)) total += scaled(amount, goUnits[unit] ?? 0n);
  const negative = text.startsWith("-");
  if (negative ? total > maxDuration : total >= maxDuration) return undefined;
  return negative ? -total : total;
}

function scaled(amount: string, unit: bigint): bigint {
  const [whole = "", fraction = ""] = amount.split(".");
  const digits = fraction.slice(0, 18);
  return amountOf(whole) * unit + (BigInt(digits || "0") * unit) / 10n ** BigInt(digits.length);
}

/** The value of digits; too many of them exceed every duration. */
function amountOf(digits: string): bigint {
  const significant = digits.startsWith("0") ? digits.replace(/^0+/, "") : digits;
  return significant.length > 19 ? maxDuration : BigInt(significant || "0");
}

const looseUnits: readonly (readonly [string, readonly string[]])[] = [
  ["ns", ["ns", "nano"]],
  ["us", ["us", "µs", "micro"]],
  ["ms", ["ms", "milli"]],
  ["s", ["s", "sec"]],
  ["m", ["m", "min"]],
  ["h", ["h", "hr", "hour"]],
  ["d", ["d", "day"]],
  ["w", ["w", "wk", "week"]],
];

const looseFactors: Readonly<Record<string, bigint>> = {
  ...goUnits,
  d: 86_400_000_000_000n,
  w: 604_800_000_000_000n,
};

/** Nanoseconds of a duration in Go's form or in words such as `3 days`; anything around the words is ignored. */
export function parseDuration(text: string): bigint | undefined {
  const go = parseGoDuration(text);
  if (go !== undefined) return go;
  let total: bigint | undefined;
  // Letters are optional here so that digits without a unit are skipped in one step.
  for (const [, digits = "0", unit = ""] of text.matchAll(/(\d+)\s*([A-Za-zµ]*)/gu)) {
    if (unit === "") continue;
    const amount = amountOf(digits);
    if (amount >= maxDuration) return undefined;
    const factor = looseFactor(unit.toLowerCase());
    if (factor !== undefined) total = (total ?? 0n) + amount * factor;
  }
  return total === undefined ? undefined : BigInt.asIntN(64, total);
}

function looseFactor(unit: string): bigint | undefined {
  for (const [name, variants] of looseUnits) {
    if (variants.includes(unit) || unit.startsWith(variants.at(-1) ?? "\0")) return looseFactors[name];
  }
  return undefined;
}

/** Whether a text is a duration. */
export function isDuration(text: string): boolean {
  return parseDuration(text) !== undefined;
}
