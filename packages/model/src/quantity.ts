/** Quantities: exact decimal numbers with a suffix (`500m`, `1.5Gi`, `12e6`), parsed and printed like the API server. */
import { ParseError } from "./parse-error.ts";

/** The format of a quantity: powers of ten with a letter, of two with a letter, or of ten with an exponent. */
export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";

/** The number `unscaled * 10 ** exponent`. */
export interface Quantity {
  readonly unscaled: bigint;
  readonly exponent: number;
  readonly format: QuantityFormat;
  /** The original text, kept where the server returns that text. */
  readonly text?: string;
}

interface Suffix {
  readonly base: 2 | 10;
  readonly exponent: number;
  readonly format: QuantityFormat;
}

const decimalLetters = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const binaryLetters = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const suffixes: ReadonlyMap<string, Suffix> = new Map([
  ...decimalLetters.map((letter, i): [string, Suffix] => [
    letter,
    { base: 10, exponent: 3 * i - 9, format: "DecimalSI" },
  ]),
  ...binaryLetters
    .slice(1)
    .map((letter, i): [string, Suffix] => [letter, { base: 2, exponent: 10 * (i + 1), format: "BinarySI" }]),
]);

const maxInt64 = 2n ** 63n - 1n;
const nano = -9;
/** Sticky, so that each part is read once: an expression for the whole would try every split of the digits. */
const amountForm = /([+-]?)([0-9]*)(?:\.([0-9]*))?/y;
const suffixForm = /^[eEinumkKMGTP]*[-+]?[0-9]*$/;
/** Far more than any quantity needs, and few enough that arithmetic with all of its digits is fast. */
const maxLength = 1024;
/** More places than the digits of two quantities can span, and few enough for fast arithmetic. */
const maxGap = 4 * maxLength;
const wrongForm = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const wrongNumber = "unable to parse numeric part of quantity";
const wrongSuffix = "unable to parse quantity's suffix";

/**
 * Reads a quantity; throws a {@link ParseError} with the server's message.
 *
 * @example
 * const memory = parseQuantity("512Mi");
 */
export function parseQuantity(text: string): Quantity {
  if (text === "0") return { unscaled: 0n, exponent: 0, format: "DecimalSI", text };
  const parts = split(text);
  const small = parseSmall(parts);
  if (small !== undefined) return small;
  if (!parts.hasDigits) throw refusal(text, wrongNumber);
  return parseLarge(parts);
}

function split(text: string): Parts {
  if (text === "" || text.length > maxLength) throw refusal(text, wrongForm);
  amountForm.lastIndex = 0;
  const [amount = "", sign, integer = "", fraction = ""] = amountForm.exec(text) ?? [];
  const suffixText = text.slice(amount.length);
  if (!suffixForm.test(suffixText)) throw refusal(text, wrongForm);
  const suffix = suffixes.get(suffixText) ?? parseExponent(suffixText);
  if (suffix === undefined) throw refusal(text, wrongSuffix);
  const hasDigits = integer !== "" || fraction !== "";
  return { text, negative: sign === "-", hasDigits, integer: integer.replace(/^0+/, ""), fraction, suffix };
}

interface Parts {
  readonly text: string;
  readonly negative: boolean;
  readonly hasDigits: boolean;
  /** The digits before the point without leading zeros. */
  readonly integer: string;
  readonly fraction: string;
  readonly suffix: Suffix;
}

function parseExponent(text: string): Suffix | undefined {
  const match = /^[eE]([-+]?[0-9]+)$/.exec(text);
  if (match === null) return undefined;
  const digits = match[1] ?? "";
  const parsed = BigInt(digits.startsWith("+") ? digits.slice(1) : digits);
  if (parsed > maxInt64 || parsed < -maxInt64 - 1n) return undefined;
  return { base: 10, exponent: Number(BigInt.asIntN(32, parsed)), format: "DecimalExponent" };
}

/** The common case: a value that fits an int64 is used directly, and its text is kept where it is canonical enough. */
function parseSmall({ text, negative, integer, fraction, suffix }: Parts): Quantity | undefined {
  const digits = `${integer === "" ? "0" : integer}${fraction}`;
  const binary = suffix.base === 2;
  if (binary && fraction !== "") return undefined;
  const room = binary ? 15 - (integer.length || 1) - Math.trunc((suffix.exponent * 3) / 10) - 1 : 18 - digits.length;
  const exponent = (binary ? 0 : suffix.exponent) - fraction.length;
  if (room < 0 || exponent < nano) return undefined;
  const value = BigInt(digits);
  const magnitude = binary ? value << BigInt(suffix.exponent) : value;
  const unscaled = negative ? -magnitude : magnitude;
  const kept = binary ? (value & 7n) !== 0n : exponent % 3 === 0 && !digits.endsWith("000") && !digits.startsWith("0");
  return { unscaled, exponent, format: suffix.format, ...(kept ? { text } : {}) };
}

/** Other values: rounded up to nano, and capped when binary. */
function parseLarge({ negative, integer, fraction, suffix }: Parts): Quantity {
  let magnitude = BigInt(`0${integer}${fraction}`);
  let exponent = -fraction.length;
  let format = suffix.format;
  if (suffix.base === 10) exponent += suffix.exponent;
  else magnitude <<= BigInt(suffix.exponent);
  if (exponent < nano) {
    magnitude = divideUp(magnitude, nano - exponent);
    exponent = nano;
  }
  if (format === "BinarySI") {
    if (compareMagnitudes({ unscaled: magnitude, exponent }, { unscaled: maxInt64, exponent: 0 }) > 0) {
      [magnitude, exponent] = [maxInt64, 0];
    }
    if (magnitude > 0n && compareMagnitudes({ unscaled: magnitude, exponent }, { unscaled: 1n, exponent: 0 }) < 0) {
      format = "DecimalSI";
    }
  }
  return { unscaled: negative ? -magnitude : magnitude, exponent, format };
}

/** Divides by a power of ten; any remainder rounds away from zero. */
function divideUp(magnitude: bigint, power: number): bigint {
  if (magnitude === 0n) return 0n;
  // So far below one that the power does not have to be computed.
  if (power > magnitude.toString().length) return 1n;
  const divisor = 10n ** BigInt(power);
  return (magnitude + divisor - 1n) / divisor;
}

/** The quantity of an integer. */
export function toQuantity(value: bigint | number, format: QuantityFormat = "DecimalSI"): Quantity {
  return { unscaled: BigInt(value), exponent: 0, format };
}

/** The quantity as the server writes it. */
export function formatQuantity(quantity: Quantity): string {
  if (quantity.text !== undefined) return quantity.text;
  if (quantity.unscaled === 0n) return "0";
  return (quantity.format === "BinarySI" ? formatBinary(quantity) : undefined) ?? formatDecimal(quantity);
}

/** Small and fractional numbers are written in decimal form even when they were binary. */
function formatBinary(quantity: Quantity): string | undefined {
  const { unscaled, exponent } = quantity;
  const whole = toWhole(quantity);
  if (whole === undefined || (whole > -1024n && whole < 1024n)) return undefined;
  if (exponent > 40) return undefined;
  let [amount, power] = [whole, 0];
  while (amount % 1024n === 0n) [amount, power] = [amount / 1024n, power + 1];
  return unscaled === 0n ? "0" : `${amount}${binaryLetters[power] ?? ""}`;
}

/** The value if it is an integer. */
function toWhole({ unscaled, exponent }: Quantity): bigint | undefined {
  if (exponent >= 0) return unscaled * 10n ** BigInt(Math.min(exponent, 64));
  const divisor = 10n ** BigInt(-exponent);
  return unscaled % divisor === 0n ? unscaled / divisor : undefined;
}

function formatDecimal({ unscaled, exponent, format }: Quantity): string {
  let [amount, power] = [unscaled, exponent];
  while (amount % 10n === 0n) [amount, power] = [amount / 10n, power + 1];
  while (power % 3 !== 0) [amount, power] = [amount * 10n, power - 1];
  return `${amount}${decimalSuffix(power, format)}`;
}

function decimalSuffix(power: number, format: QuantityFormat): string {
  if (format === "DecimalExponent") return power === 0 ? "" : `e${power}`;
  // Beyond the letters the server prints none, and so does this function.
  return decimalLetters[power / 3 + 3] ?? "";
}

/** The canonical form of a quantity, as the server returns it in an object. */
export function normalizeQuantity(text: string): string {
  return formatQuantity(parseQuantity(text));
}

/**
 * Negative when `a` is less than `b`, positive when greater, zero when they are the same number.
 *
 * @example
 * const isLarger = compareQuantities(parseQuantity("1Gi"), parseQuantity("500M")) > 0;
 */
export function compareQuantities(a: Quantity, b: Quantity): number {
  const signs = sign(a.unscaled) - sign(b.unscaled);
  if (signs !== 0) return signs < 0 ? -1 : 1;
  return sign(a.unscaled) < 0
    ? compareMagnitudes(
        { unscaled: -b.unscaled, exponent: b.exponent },
        { unscaled: -a.unscaled, exponent: a.exponent },
      )
    : compareMagnitudes(a, b);
}

type Magnitude = Pick<Quantity, "unscaled" | "exponent">;

/** Compares two non-negative numbers; the number of digits decides first, so that huge exponents cost nothing. */
function compareMagnitudes(a: Magnitude, b: Magnitude): number {
  if (a.unscaled === 0n || b.unscaled === 0n) return sign(a.unscaled - b.unscaled);
  const digits = digitsBeforePoint(a) - digitsBeforePoint(b);
  if (digits !== 0) return Math.sign(digits);
  const [left, right] = aligned(a, b);
  return sign(left - right);
}

function digitsBeforePoint({ unscaled, exponent }: Magnitude): number {
  return unscaled.toString().length + exponent;
}

function sign(value: bigint): number {
  return value > 0n ? 1 : value < 0n ? -1 : 0;
}

function aligned(a: Magnitude, b: Magnitude): [bigint, bigint] {
  const exponent = Math.min(a.exponent, b.exponent);
  return [a.unscaled * 10n ** BigInt(a.exponent - exponent), b.unscaled * 10n ** BigInt(b.exponent - exponent)];
}

/** The sum, in the format of the first summand; a zero takes the format of the other. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  const format = a.unscaled === 0n ? b.format : a.format;
  if (b.unscaled === 0n) return { unscaled: a.unscaled, exponent: a.exponent, format };
  if (a.unscaled === 0n) return { unscaled: b.unscaled, exponent: b.exponent, format };
  // Beside a number that is so much larger, the other one is nothing; exact arithmetic would need all digits in between.
  if (a.exponent - b.exponent > maxGap) return { unscaled: a.unscaled, exponent: a.exponent, format };
  if (b.exponent - a.exponent > maxGap) return { unscaled: b.unscaled, exponent: b.exponent, format };
  const [left, right] = aligned(a, b);
  return { unscaled: left + right, exponent: Math.min(a.exponent, b.exponent), format };
}

/** The difference, in the format of the first operand; a zero takes the format of the other. */
export function subtractQuantities(a: Quantity, b: Quantity): Quantity {
  return addQuantities(a, { unscaled: -b.unscaled, exponent: b.exponent, format: b.format });
}

/** The same quantity with the opposite sign. */
export function negateQuantity({ unscaled, exponent, format }: Quantity): Quantity {
  return { unscaled: -unscaled, exponent, format };
}

/**
 * The whole number of units of `10 ** scale` in a quantity, rounded away from zero: 0 for its value, -3 for thousandths.
 *
 * @example
 * const bytes = quantityToInteger(parseQuantity("512Mi"));
 */
export function quantityToInteger(quantity: Quantity, scale = 0): bigint {
  const { unscaled, exponent } = quantity;
  if (exponent >= scale) return unscaled * 10n ** BigInt(Math.min(exponent - scale, maxGap));
  const magnitude = divideUp(unscaled < 0n ? -unscaled : unscaled, scale - exponent);
  return unscaled < 0n ? -magnitude : magnitude;
}

function refusal(input: string, message: string): ParseError {
  return new ParseError("InvalidQuantity", input, message);
}
