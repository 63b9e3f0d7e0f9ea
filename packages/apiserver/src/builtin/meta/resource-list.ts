/** Resource lists: quantities by name, in requests, limits, capacities and quotas. */
import { compareQuantities, formatQuantity, parseQuantity, quantityToInteger, toQuantity } from "@capstan/model";

const milli = -3;
const zero = toQuantity(0);

/** Rounds every quantity up to milli units, the finest precision that is stored. */
export function roundQuantities(list: { [resource: string]: string } | undefined): void {
  for (const name in list) list[name] = roundUpToMilli(list[name] ?? "0");
}

/** A quantity below milli precision has the suffix `u` or `n`, a negative exponent or more than three decimals. */
function roundUpToMilli(text: string): string {
  if (!/[un]|e-|\.[0-9]{4,}/i.test(text)) return text;
  const quantity = parseQuantity(text);
  const rounded = quantityToInteger(quantity, milli);
  return formatQuantity({ unscaled: rounded, exponent: milli, format: quantity.format });
}

/** Compares two valid quantities. */
export function compareTexts(a: string, b: string): number {
  return compareQuantities(parseQuantity(a), parseQuantity(b));
}

/** Whether a quantity is less than zero. */
export function isNegative(text: string): boolean {
  return compareQuantities(parseQuantity(text), zero) < 0;
}
