/** The age of an object, in the short form of tables. */

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

function two(large: number, small: number, units: readonly [string, string]): string {
  return small === 0 ? `${large}${units[0]}` : `${large}${units[0]}${small}${units[1]}`;
}

/** A duration in milliseconds as kubectl and the server show ages: `5m12s`, `3h`, `12d`. */
export function formatAge(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / second);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(milliseconds / minute);
  if (minutes < 10) return two(minutes, seconds % 60, ["m", "s"]);
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(milliseconds / hour);
  return hours < 8 ? two(hours, minutes % 60, ["h", "m"]) : formatHours(hours);
}

function formatHours(hours: number): string {
  const days = Math.trunc(hours / 24);
  if (hours < 48) return `${hours}h`;
  if (hours < 24 * 8) return two(days, hours % 24, ["d", "h"]);
  if (hours < 24 * 365 * 2) return `${days}d`;
  const years = Math.trunc(days / 365);
  return hours < 24 * 365 * 8 ? two(years, days % 365, ["y", "d"]) : `${years}y`;
}
