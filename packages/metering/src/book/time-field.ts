/** Reads times of a book. */
import { parseTime } from "../time/instant.ts";
import type { Zone } from "../time/zone.ts";
import type { Field } from "./field.ts";

/** An instant, or a date in the zone of the book. */
export function readTime(field: Field, zone: Zone): number | undefined {
  const text = field.optionalText();
  if (text === undefined) return undefined;
  const time = parseTime(text, zone);
  if (time === undefined)
    throw field.refuse(`${JSON.stringify(text)} is not a time; write 2026-03-01 or 2026-03-01T12:00:00Z`);
  return time;
}
