/** Cron schedules with five fields, in UTC: computes the next time after a moment. */

type Field = ReadonlySet<number>;

/** A parsed schedule. */
export interface Schedule {
  readonly minutes: Field;
  readonly hours: Field;
  readonly days: Field;
  readonly months: Field;
  readonly weekdays: Field;
  /** As in cron: if both day fields are restricted, either one is enough. */
  readonly isEitherDay: boolean;
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const NAMED: Readonly<Record<string, string>> = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
};

/** Parses a schedule; undefined if it is invalid. */
export function parseSchedule(text: string): Schedule | undefined {
  const fields = (NAMED[text.trim()] ?? text).trim().toLowerCase().split(/\s+/);
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = fields;
  const minutes = parseField(minute, { low: 0, high: 59 });
  const hours = parseField(hour, { low: 0, high: 23 });
  const days = parseField(day, { low: 1, high: 31 });
  const months = parseField(month, { low: 1, high: 12, names: MONTHS, first: 1 });
  const weekdays = parseField(weekday, { low: 0, high: 7, names: WEEKDAYS, first: 0 });
  if (fields.length !== 5 || !minutes || !hours || !days || !months || !weekdays) return undefined;
  const sundays = new Set([...weekdays].map((value) => value % 7));
  const isEitherDay = !day.startsWith("*") && !weekday.startsWith("*");
  return { minutes, hours, days, months, weekdays: sundays, isEitherDay };
}

/** The first time after a moment, in milliseconds since 1970; undefined if there is none within eight years. */
export function nextTime(schedule: Schedule, after: number): number | undefined {
  const time = new Date(Math.floor(after / 60_000) * 60_000 + 60_000);
  const end = time.getUTCFullYear() + 8;
  while (time.getUTCFullYear() <= end) {
    const [year, month, day] = [time.getUTCFullYear(), time.getUTCMonth(), time.getUTCDate()];
    if (!schedule.months.has(month + 1)) time.setTime(Date.UTC(year, month + 1, 1));
    else if (!isDay(schedule, time)) time.setTime(Date.UTC(year, month, day + 1));
    else if (!schedule.hours.has(time.getUTCHours())) time.setUTCHours(time.getUTCHours() + 1, 0);
    else if (!schedule.minutes.has(time.getUTCMinutes())) time.setUTCMinutes(time.getUTCMinutes() + 1);
    else return time.getTime();
  }
  return undefined;
}

function isDay({ days, weekdays, isEitherDay }: Schedule, time: Date): boolean {
  const [isDate, isWeekday] = [days.has(time.getUTCDate()), weekdays.has(time.getUTCDay())];
  return isEitherDay ? isDate || isWeekday : isDate && isWeekday;
}

interface FieldRange {
  readonly low: number;
  readonly high: number;
  readonly names?: readonly string[];
  readonly first?: number;
}

/** Parses lists of values, ranges and steps. */
function parseField(text: string, range: FieldRange): Field | undefined {
  const values = new Set<number>();
  for (const part of text.split(",")) {
    const [span = "", stepText, ...more] = part.split("/");
    const step = stepText === undefined ? 1 : Number(stepText);
    const ends = parseSpan(span, range, stepText !== undefined);
    if (more.length > 0 || !Number.isInteger(step) || step < 1 || ends === undefined) return undefined;
    for (let value = ends.from; value <= ends.to; value += step) values.add(value);
  }
  return values.size > 0 ? values : undefined;
}

function parseSpan(span: string, range: FieldRange, hasStep: boolean): { from: number; to: number } | undefined {
  if (span === "*" || span === "?") return { from: range.low, to: range.high };
  const [first = "", last, ...more] = span.split("-");
  const from = parseValue(first, range);
  const to = last === undefined ? (hasStep ? range.high : from) : parseValue(last, range);
  if (more.length > 0 || from === undefined || to === undefined || from > to) return undefined;
  return { from, to };
}

function parseValue(text: string, { low, high, names = [], first = 0 }: FieldRange): number | undefined {
  const named = names.indexOf(text);
  if (named >= 0) return named + first;
  const value = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  return value >= low && value <= high ? value : undefined;
}
