/** Checks of parsed JSON: exactly the declared fields, each of them valid. */
import { isRecord } from "./canonical.ts";

/** Whether a value is valid. */
type Check = (value: unknown) => boolean;

/**
 * Checks that the shape of a manifest consists of. `shape` requires exactly its fields, so that a change of meaning needs a new format
 * number.
 *
 * @example
 * const isPoint = manifestChecks.shape({ x: manifestChecks.count, y: manifestChecks.optional(manifestChecks.count) });
 */
export const manifestChecks: {
  readonly shape: (fields: { readonly [field: string]: Check }) => Check;
  readonly oneOf: (...values: readonly unknown[]) => Check;
  readonly optional: (check: Check) => Check;
  readonly any: Check;
  /** At most 4096 characters. */
  readonly text: Check;
  readonly time: Check;
  /** A sha256 in hexadecimal. */
  readonly sum: Check;
  readonly integer: Check;
  /** An integer of at least 0. */
  readonly count: Check;
  /** Size and sha256 of a stream. */
  readonly part: Check;
  /** Fingerprint and proof of a key. */
  readonly encryption: Check;
} = {
  shape,
  oneOf: (...values) => {
    return (value) => values.includes(value);
  },
  optional,
  any: () => true,
  text: isText,
  time: (value) => isText(value) && !Number.isNaN(Date.parse(String(value))),
  sum: isSum,
  integer: Number.isSafeInteger,
  count: isCount,
  part: shape({ bytes: isCount, sha256: isSum }),
  encryption: optional(shape({ key: isText, proof: isText })),
};

function shape(fields: { readonly [field: string]: Check }): Check {
  const checks = new Map(Object.entries(fields));
  return (value) =>
    isRecord(value) &&
    Object.keys(value).every((field) => checks.has(field)) &&
    [...checks].every(([field, check]) => check(value[field]));
}

function optional(check: Check): Check {
  return (value) => value === undefined || check(value);
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value.length <= 4096;
}

function isSum(value: unknown): boolean {
  return typeof value === "string" && /^[0-9a-f]{64}$/u.test(value);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
