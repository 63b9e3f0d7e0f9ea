/** Canonical JSON: one text for equal values, whatever the order of their fields. */
import { BackupError } from "./errors.ts";

/** Kubernetes accepts no deeper objects, but a store can contain anything. */
const DEEPEST = 256;

/**
 * Canonical JSON of a value.
 *
 * @example
 * const isEqual = (one: unknown, other: unknown) => canonical(one) === canonical(other);
 */
export function canonical(value: unknown, depth = 0): string {
  if (depth > DEEPEST) throw unreadable();
  if (Array.isArray(value)) return `[${value.map((one) => canonical(one, depth + 1)).join(",")}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? "null";
  const fields = Object.keys(value).filter((field) => value[field] !== undefined);
  return `{${fields
    .toSorted()
    .map((field) => `${JSON.stringify(field)}:${canonical(value[field], depth + 1)}`)
    .join(",")}}`;
}

/** Whether a value is a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The error for a manifest that is not one. */
export function unreadable(): BackupError {
  return new BackupError("Corrupt", "the manifest of the backup cannot be read: name another backup");
}
