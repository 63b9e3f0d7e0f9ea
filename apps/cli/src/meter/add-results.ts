/** Adds the outcomes of imports of one source. */
import type { ImportResult } from "@capstan/metering";

/** The sum of what was imported so far and of the newest import. */
export function addResults(before: ImportResult | undefined, next: ImportResult): ImportResult {
  if (before === undefined) return next;
  return {
    source: next.source,
    read: before.read + next.read,
    stored: before.stored + next.stored,
    duplicate: before.duplicate + next.duplicate,
    late: before.late + next.late,
    conflict: before.conflict + next.conflict,
    rejected: before.rejected + next.rejected,
    watermarks: { ...before.watermarks, ...next.watermarks },
    problems: [...before.problems, ...next.problems],
  };
}
