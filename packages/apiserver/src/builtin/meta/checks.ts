/** The small checks that the validations of kinds are made of: one field, one question, the server's words. */
import {
  checkDns1123Label,
  checkDns1123Subdomain,
  checkPercent,
  checkPortName,
  checkPortNumber,
  checkQualifiedName,
  fieldErrors,
  isDeepEqual,
  type FieldError,
  type IntOrString,
} from "@capstan/model";

/** One error for each complaint about a value. */
export function invalidEach(path: string, value: unknown, complaints: readonly string[]): FieldError[] {
  return complaints.map((why) => fieldErrors.invalid(path, value, why));
}

/** A text that must not be empty. */
export function checkPresent(value: string | undefined, path: string, detail = ""): FieldError[] {
  return isEmpty(value) ? [fieldErrors.required(path, detail)] : [];
}

/** Whether a text is empty or absent, which is the same to the server. */
export function isEmpty(value: string | undefined): value is "" | undefined {
  return value === undefined || value === "";
}

/** A text that is one of a closed set; empty only if the set says so. */
export function checkOneOf(value: string | undefined, path: string, allowed: readonly string[]): FieldError[] {
  return allowed.includes(value ?? "") ? [] : [fieldErrors.notSupportedName(path, value ?? "", allowed)];
}

/** A text that is required and one of a closed set. */
export function requireOneOf(value: string | undefined, path: string, allowed: readonly string[]): FieldError[] {
  return isEmpty(value) ? [fieldErrors.required(path)] : checkOneOf(value, path, allowed);
}

/** A number that is at least zero. */
export function checkNonNegative(value: number | undefined, path: string): FieldError[] {
  return (value ?? 0) < 0 ? [fieldErrors.invalid(path, value, "must be greater than or equal to 0")] : [];
}

/** A number that is more than zero. */
export function checkPositive(value: number | undefined, path: string): FieldError[] {
  return (value ?? 0) <= 0 ? [fieldErrors.invalid(path, value ?? 0, "must be greater than zero")] : [];
}

/** A DNS label. */
export function checkLabelName(value: string, path: string): FieldError[] {
  return invalidEach(path, value, checkDns1123Label(value));
}

/** A DNS subdomain, the form of most names of objects. */
export function checkSubdomain(value: string, path: string): FieldError[] {
  return invalidEach(path, value, checkDns1123Subdomain(value));
}

/** A name with an optional prefix, as keys of labels have it. */
export function checkQualified(value: string, path: string): FieldError[] {
  return invalidEach(path, value, checkQualifiedName(value));
}

/** The key of a label. */
export function checkLabelKey(key: string, path: string): FieldError[] {
  return checkQualified(key, path);
}

/** A port given by number or by name. */
export function checkPort(port: IntOrString | undefined, path: string): FieldError[] {
  const given = port ?? 0;
  return invalidEach(path, given, typeof given === "number" ? checkPortNumber(given) : checkPortName(given));
}

/** A count that is at least zero, or a percentage. */
export function checkIntOrPercent(value: IntOrString, path: string): FieldError[] {
  return typeof value === "number"
    ? checkNonNegative(value, path)
    : invalidEach(path, fieldErrors.named(value), checkPercent(value));
}

/** A percentage that must not exceed the whole; counts pass. */
export function checkAtMostWhole(value: IntOrString, path: string): FieldError[] {
  const percent = percentOf(value);
  return percent !== undefined && percent > 100
    ? [fieldErrors.invalid(path, value, "must not be greater than 100%")]
    : [];
}

/** The number of a count or a percentage; a text that is neither counts as zero. */
export function countOrPercentOf(value: IntOrString): number {
  if (typeof value === "number") return value;
  return percentOf(value) ?? (/^[+-]?[0-9]+$/.test(value) ? Number(value) : 0);
}

function percentOf(value: IntOrString): number | undefined {
  if (typeof value === "number" || checkPercent(value).length > 0) return undefined;
  return Number(value.slice(0, -1));
}

/** A field that must stay as it is; absent and empty differ. */
export function checkUnchanged(value: unknown, old: unknown, path: string): FieldError[] {
  return isDeepEqual(value ?? null, old ?? null)
    ? []
    : [fieldErrors.invalid(path, value ?? null, "field is immutable")];
}

/** The same for a text behind a pointer or of a type with a name of its own, which is shown as JSON has it. */
export function checkSamePointer(value: string | undefined, old: string | undefined, path: string): FieldError[] {
  const shown = value === undefined ? null : fieldErrors.named(value);
  return value === old ? [] : [fieldErrors.invalid(path, shown, "field is immutable")];
}

/** A plain text, not of a type of its own, that is one of a closed set. */
export function checkPlainOneOf(value: string | undefined, path: string, allowed: readonly string[]): FieldError[] {
  return allowed.includes(value ?? "") ? [] : [fieldErrors.notSupported(path, value ?? "", allowed)];
}
