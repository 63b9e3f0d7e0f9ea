/** Durations as specs write them: `90d`, `1h30m`, `45s`. */

const UNITS: ReadonlyMap<string, number> = new Map([
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
]);

/** Milliseconds. The schema has validated the format; text without a duration is 0. */
export function parseDuration(text: string): number {
  const parts = text.matchAll(/(\d+)([smhd])/g);
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * (UNITS.get(unit ?? "") ?? 0), 0);
}
