/** The calendar of the oracle: local dates by quarter hours, as the platform prints them. */

const quarter = 900_000;
const first = Date.UTC(2026, 0, 20);
const last = Date.UTC(2026, 5, 10);

/** The kinds of periods. */
export type Kind = "hour" | "day" | "week" | "month" | "total";

interface Slot {
  readonly at: number;
  readonly date: string;
  readonly hour: string;
}

const slots = new Map<string, readonly Slot[]>();

function slotsOf(zone: string): readonly Slot[] {
  const known = slots.get(zone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat("sv-SE", {
    timeZone: zone,
    dateStyle: "short",
    timeStyle: "medium",
  });
  const made: Slot[] = [];
  for (let at = first; at < last; at += quarter) {
    const text = format.format(at);
    const local = Date.parse(`${text.replace(" ", "T")}Z`);
    const minutes = Math.round((local - at) / 60_000);
    const sign = minutes < 0 ? "-" : "+";
    const offset = Math.abs(minutes);
    const two = (value: number): string => String(value).padStart(2, "0");
    made.push({
      at,
      date: text.slice(0, 10),
      hour: `${text.slice(0, 10)}T${text.slice(11, 13)}|${sign}${two(Math.floor(offset / 60))}:${two(offset % 60)}`,
    });
  }
  slots.set(zone, made);
  return made;
}

function nameOfSlot({ date, hour }: Slot, kind: Kind): string {
  switch (kind) {
    case "hour":
      return hour;
    case "day":
      return date;
    case "month":
      return date.slice(0, 7);
    case "week":
      return isoWeek(date);
    case "total":
      return "total";
  }
}

function isoWeek(date: string): string {
  const day = new Date(`${date}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() + 4 - (day.getUTCDay() || 7));
  const start = Date.UTC(day.getUTCFullYear(), 0, 1);
  const week = Math.ceil(((day.getTime() - start) / 86_400_000 + 1) / 7);
  return `${day.getUTCFullYear()}-W${String(week).padStart(2, "0")}`;
}

/** A stretch of time with a name. */
export interface Period {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

const periods = new Map<string, readonly Period[]>();

/** All periods of a kind in a zone. */
export function periodsOf(zone: string, kind: Kind): readonly Period[] {
  const key = `${zone} ${kind}`;
  const known = periods.get(key);
  if (known !== undefined) return known;
  const made: { name: string; start: number; end: number }[] = [];
  for (const slot of slotsOf(zone)) {
    const name = nameOfSlot(slot, kind);
    const open = made.at(-1);
    if (open?.name === name) open.end = slot.at + quarter;
    else made.push({ name, start: slot.at, end: slot.at + quarter });
  }
  periods.set(key, made);
  return made;
}

/** The period that an instant lies in. */
export function periodAt(zone: string, kind: Kind, at: number): Period {
  const found = periodsOf(zone, kind).find(({ start, end }) => start <= at && at < end);
  if (found === undefined) throw new RangeError(`${at} is outside of the calendar`);
  return found;
}
