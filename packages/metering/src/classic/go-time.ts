/** Times in UTC by a layout of Go. */

const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

const two = (value: number): string => String(value).padStart(2, "0");

/** Longer parts first. */
const parts: readonly (readonly [part: string, format: (time: Date) => string])[] = [
  ["January", (time) => months[time.getUTCMonth()] ?? ""],
  ["Monday", (time) => days[time.getUTCDay()] ?? ""],
  ["Z07:00", () => "Z"],
  ["-07:00", () => "+00:00"],
  ["-0700", () => "+0000"],
  ["2006", (time) => String(time.getUTCFullYear())],
  [".000000", (time) => `.${String(time.getUTCMilliseconds()).padStart(3, "0")}000`],
  [".000", (time) => `.${String(time.getUTCMilliseconds()).padStart(3, "0")}`],
  ["Jan", (time) => (months[time.getUTCMonth()] ?? "").slice(0, 3)],
  ["Mon", (time) => (days[time.getUTCDay()] ?? "").slice(0, 3)],
  ["MST", () => "UTC"],
  ["01", (time) => two(time.getUTCMonth() + 1)],
  ["02", (time) => two(time.getUTCDate())],
  ["03", (time) => two(time.getUTCHours() % 12 === 0 ? 12 : time.getUTCHours() % 12)],
  ["04", (time) => two(time.getUTCMinutes())],
  ["05", (time) => two(time.getUTCSeconds())],
  ["06", (time) => two(time.getUTCFullYear() % 100)],
  ["15", (time) => two(time.getUTCHours())],
  ["PM", (time) => (time.getUTCHours() < 12 ? "AM" : "PM")],
  ["1", (time) => String(time.getUTCMonth() + 1)],
  ["2", (time) => String(time.getUTCDate())],
  ["3", (time) => String(time.getUTCHours() % 12 === 0 ? 12 : time.getUTCHours() % 12)],
  ["4", (time) => String(time.getUTCMinutes())],
  ["5", (time) => String(time.getUTCSeconds())],
];

/** Formats a time. */
export function formatGoTime(time: Date, layout: string): string {
  let shown = "";
  for (let at = 0; at < layout.length;) {
    const found = parts.find(([part]) => layout.startsWith(part, at));
    shown += found === undefined ? layout[at] : found[1](time);
    at += found?.[0].length ?? 1;
  }
  return shown;
}
