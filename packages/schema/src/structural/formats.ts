/** The string formats that custom resources may use, each a predicate with the server's results. */
import { byteLength } from "@capstan/model";

import { isCidr, isIPv4, isIPv6, isMac } from "./formats-net.ts";
import { isEmail, isRequestUri } from "./formats-uri.ts";
import { isDate, isDateTime, isDuration } from "./formats-time.ts";
import { matchesPattern } from "./pattern.ts";

type Predicate = (text: string) => boolean;

function regular(expression: RegExp): Predicate {
  return (text) => expression.test(text);
}

const hostname =
  "^([a-zA-Z0-9\\p{S}\\p{L}]((-?[a-zA-Z0-9\\p{S}\\p{L}]{0,62})?)|([a-zA-Z0-9\\p{S}\\p{L}](([a-zA-Z0-9-\\p{S}\\p{L}]{0,61}[a-zA-Z0-9\\p{S}\\p{L}])?)(\\.)){1,}([a-zA-Z\\p{L}]){2,63})$";

function isHostname(text: string): boolean {
  if (byteLength(text) > 255 || !matchesPattern(hostname, text)) return false;
  return text.split(".").every((part) => byteLength(part) <= 63);
}

const card =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/;

function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, "");
  if (!card.test(digits)) return false;
  const sum = Array.from(digits)
    .reverse()
    .reduce((total, digit, i) => {
      const doubled = i % 2 === 1 ? Number(digit) * 2 : Number(digit);
      return total + (doubled >= 10 ? (doubled % 10) + 1 : doubled);
    }, 0);
  return sum % 10 === 0;
}

function isbnDigits(text: string): string {
  return text.replace(/[\t\n\f\r -]+/g, "");
}

function isIsbn10(text: string): boolean {
  const digits = isbnDigits(text);
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(digits)) return false;
  const sum = Array.from(digits).reduce((total, digit, i) => {
    const value = digit === "X" ? 10 : Number(digit);
    return total + (i + 1) * value;
  }, 0);
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = isbnDigits(text);
  if (!/^[0-9]{13}$/.test(digits)) return false;
  const sum = Array.from(digits.slice(0, 12)).reduce(
    (total, digit, i) => total + (i % 2 === 0 ? 1 : 3) * Number(digit),
    0,
  );
  return Number(digits[12]) === (10 - (sum % 10)) % 10;
}

const channel = "\\s*(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*";
const shortName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const longName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Formats by name without dashes: `date-time` and `datetime` are the same. */
const formats: ReadonlyMap<string, Predicate> = new Map<string, Predicate>([
  ["bsonobjectid", regular(/^[0-9a-fA-F]{24}$/)],
  ["uri", isRequestUri],
  ["email", isEmail],
  ["hostname", isHostname],
  ["ipv4", isIPv4],
  ["ipv6", isIPv6],
  ["cidr", isCidr],
  ["mac", isMac],
  ["uuid", regular(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ["uuid3", regular(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ["uuid4", regular(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ["uuid5", regular(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ["isbn", (text) => isIsbn10(text) || isIsbn13(text)],
  ["isbn10", isIsbn10],
  ["isbn13", isIsbn13],
  ["creditcard", isCreditCard],
  ["ssn", (text) => byteLength(text) === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text)],
  ["hexcolor", regular(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
  ["rgbcolor", (text) => matchesPattern(`^rgb\\(${channel},${channel},${channel}\\)$`, text)],
  ["byte", regular(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/)],
  ["password", () => true],
  ["date", isDate],
  ["duration", isDuration],
  ["datetime", isDateTime],
  ["k8sshortname", (text) => byteLength(text) <= 63 && shortName.test(text)],
  ["k8slongname", (text) => byteLength(text) <= 253 && longName.test(text)],
]);

function normalized(format: string): string {
  return format.replaceAll("-", "");
}

/** The predicate of a string format, if the server knows the format. */
export function formatPredicate(format: string): Predicate | undefined {
  return formats.get(normalized(format));
}

/** The format that is enforced for a field of these types: unknown formats are dropped. */
export function enforcedFormat(format: string | undefined, types: readonly string[]): string | undefined {
  if (format === undefined) return undefined;
  return isRecognizedFormat(format, types.length === 1 ? (types[0] ?? "") : "") ? format : undefined;
}

/** Whether the server recognizes a format for a field of this type; for others it warns when the CRD is written. */
export function isRecognizedFormat(format: string, type: string): boolean {
  switch (type) {
    case "":
    case "string":
      return formats.has(normalized(format));
    case "integer":
      return format === "int32" || format === "int64";
    case "number":
      return format === "float" || format === "double";
    default:
      return false;
  }
}
