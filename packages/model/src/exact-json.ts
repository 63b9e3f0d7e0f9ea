/** JSON text with integers beyond the exact range of JavaScript numbers: those become bigints, as Go keeps them in an int64. */

/** A number at the position of a value that `JSON.parse` would change, or that it may print in another way. */
const suspicious = /[:[,\s]-?(?:\d{16}|\d{1,15}[.eE])/;
const integer = /^-?\d+$/;
const least = -(2n ** 63n);

/** Handles a number that differs from its text. */
export type ReadNumber = (text: string, value: number) => unknown;

/** Parses valid JSON text. Integers that fit an int64 but not an exact number become bigints; everything else is as in `JSON.parse`. */
export function parseExactJson(text: string): unknown {
  return parseWithNumbers(text, (_source, value) => value);
}

/** Parses valid JSON text; the given function handles numbers that are neither exact nor an int64, or written in an unusual way. */
export function parseWithNumbers(text: string, read: ReadNumber): unknown {
  if (!suspicious.test(text)) return JSON.parse(text);
  const revive = (_key: string, value: unknown, context?: { readonly source?: string }): unknown =>
    typeof value === "number" ? exact(value, context?.source ?? String(value), read) : value;
  return JSON.parse(text, revive);
}

function exact(value: number, source: string, read: ReadNumber): unknown {
  if (String(value) === source && (Number.isSafeInteger(value) || !Number.isInteger(value))) return value;
  if (!integer.test(source)) return read(source, value);
  if (Number.isSafeInteger(value)) return value;
  const whole = BigInt(source);
  return whole >= least && whole < -least ? whole : read(source, value);
}

/** Whether a JSON value is an integer that no number holds exactly. */
export function isLargeInteger(value: unknown): value is bigint {
  return typeof value === "bigint";
}

/** The JSON text of a value that may contain bigints. */
export function stringifyExact(value: unknown, indent?: number): string | undefined {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const write = (_key: string, part: unknown): unknown => (typeof part === "bigint" ? rawNumber(part) : part);
    return JSON.stringify(value, write, indent);
  }
}

/** A part of JSON text that is written unchanged; the type library does not have it yet. */
function rawNumber(value: bigint): unknown {
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(String(value));
}
