/** Field checks that the validations of kinds are composed of, with the messages of kube-apiserver. */
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

/** One error for each message about a value. */
export function invalidEach(path: string, value: unknown, complaints: readonly string[]): FieldError[] {
  return complaints.map((why) => fieldErrors.invalid(path, value, why));
}

/** Requires a text that is not empty. */
export function checkPresent(value: string | undefined, path: string, detail = ""): FieldError[] {
  return isEmpty(value) ? [fieldErrors.required(path, detail)] : [];
}

/** Whether a text is empty or absent; the server treats both alike. */
export function isEmpty(value: string | undefined): value is "" | undefined {
  return value === undefined || value === "";
}

/** Requires one of the allowed values; the empty text only if it is among them. */
export function checkOneOf(value: string | undefined, path: string, allowed: readonly string[]): FieldError[] {
  return allowed.includes(value ?? "") ? [] : [fieldErrors.notSupportedName(path, value ?? "", allowed)];
}

/** Requires a text that is not empty and one of the allowed values. */
export function requireOneOf(value: string | undefined, path: string, allowed: readonly string[]): FieldError[] {
  return isEmpty(value) ? [fieldErrors.required(path)] : checkOneOf(value, path, allowed);
}

/** Requires a number >= 0. */
export function checkNonNegative(value: number | undefined, path: string): FieldError[] {
  return (value ?? 0) < 0 ? [fieldErrors.invalid(path, value, "must be greater than or equal to 0")] : [];
}

/** Requires a number > 0. */
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

/** A name with an optional prefix, like label keys. */
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

/** Rejects a percentage above 100%; counts pass. */
export function checkAtMostWhole(value: IntOrString, path: string): FieldError[] {
  const percent = percentOf(value);
  return percent !== undefined && percent > 100
    ? [fieldErrors.invalid(path, value, "must not be greater than 100%")]
    : [];
}

/** The number of a count or a percentage; any other text is zero. */
export function countOrPercentOf(value: IntOrString): number {
  if (typeof value === "number") return value;
  return percentOf(value) ?? (/^[+-]?[0-9]+$/.test(value) ? Number(value) : 0);
}

function percentOf(value: IntOrString): number | undefined {
  if (typeof value === "number" || checkPercent(value).length > 0) return undefined;
  return Number(value.slice(0, -1));
}

/** Requires an unchanged field; absent and empty differ. */
export function checkUnchanged(value: unknown, old: unknown, path: string): FieldError[] {
  return isDeepEqual(value ?? null, old ?? null)
    ? []
    : [fieldErrors.invalid(path, value ?? null, "field is immutable")];
}

/** The same for a Go pointer or named string type, which the error shows as JSON. */
export function checkSamePointer(value: string | undefined, old: string | undefined, path: string): FieldError[] {
  const shown = value === undefined ? null : fieldErrors.named(value);
  return value === old ? [] : [fieldErrors.invalid(path, shown, "field is immutable")];
}

/** Requires one of the allowed values; for a plain string in Go, not a named type. */
export function checkPlainOneOf(value: string | undefined, path: string, allowed: readonly string[]): FieldError[] {
  return allowed.includes(value ?? "") ? [] : [fieldErrors.notSupported(path, value ?? "", allowed)];
}
