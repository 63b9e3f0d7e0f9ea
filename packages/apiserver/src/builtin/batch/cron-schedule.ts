/** Cron schedules as kube-apiserver parses them: five fields or a name such as `@daily`. */
import { parseDuration, ParseError, quote } from "@capstan/model";

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const bounds: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  {
    min: 1,
    max: 12,
    names: ["", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
  },
  { min: 0, max: 6, names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] },
];
const words = new Set(["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"]);
const every = "@every ";

/** The error of a schedule, or undefined. */
export function scheduleProblem(schedule: string): string | undefined {
  if (schedule === "") return "empty spec string";
  const prefix = /^(CRON_)?TZ=/.exec(schedule);
  if (prefix === null) return problemOf(schedule);
  const [start, space] = [prefix[0].length, schedule.indexOf(" ")];
  if (space < 0) return `invalid schedule format: runtime error: slice bounds out of range [:-1]`;
  const zone = schedule.slice(start, space);
  return isTimeZone(zone)
    ? problemOf(schedule.slice(space).trim())
    : `provided bad location ${zone}: unknown time zone ${zone}`;
}

function problemOf(schedule: string): string | undefined {
  if (schedule.startsWith("@")) return descriptorProblem(schedule);
  const fields = schedule.split(/\s+/).filter((field) => field !== "");
  if (fields.length !== bounds.length) {
    return `expected exactly ${bounds.length} fields, found ${fields.length}: [${fields.join(" ")}]`;
  }
  for (const [index, bound] of bounds.entries()) {
    const problem = fieldProblem(fields[index] ?? "", bound);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function descriptorProblem(descriptor: string): string | undefined {
  if (words.has(descriptor)) return undefined;
  if (!descriptor.startsWith(every)) return `unrecognized descriptor: ${descriptor}`;
  try {
    parseDuration(descriptor.slice(every.length));
    return undefined;
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return `failed to parse duration ${descriptor}: ${error.message}`;
  }
}

function fieldProblem(field: string, bound: Bounds): string | undefined {
  for (const range of field.split(",")) {
    const problem = range === "" ? undefined : rangeProblem(range, bound);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The first error of `low-high/step`. */
function rangeProblem(range: string, bound: Bounds): string | undefined {
  const [interval = "", stepText, ...more] = range.split("/");
  const limits = limitsOf(interval, range, bound);
  if (typeof limits === "string") return limits;
  if (more.length > 0) return `too many slashes: ${range}`;
  const step = stepText === undefined ? 1 : numberOf(stepText);
  if (typeof step === "string") return step;
  const [start, last] = limits;
  // A number with a step means the range from the number to the maximum.
  const end = stepText !== undefined && !interval.includes("-") ? bound.max : last;
  if (start < bound.min) return `beginning of range (${start}) below minimum (${bound.min}): ${range}`;
  if (end > bound.max) return `end of range (${end}) above maximum (${bound.max}): ${range}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${range}`;
  return step === 0 ? `step of range should be a positive number: ${range}` : undefined;
}

function limitsOf(interval: string, range: string, { min, max, names }: Bounds): [number, number] | string {
  const [low = "", high, ...more] = interval.split("-");
  if (low === "*" || low === "?") return [min, max];
  const start = numberOf(low, names);
  if (typeof start === "string") return start;
  if (more.length > 0) return `too many hyphens: ${range}`;
  const end = high === undefined ? start : numberOf(high, names);
  return typeof end === "string" ? end : [start, end];
}

/** The number, or the error. */
function numberOf(text: string, names: readonly string[] = []): number | string {
  const named = text === "" ? -1 : names.indexOf(text.toLowerCase());
  if (named >= 0) return named;
  if (!/^[+-]?[0-9]+$/.test(text)) {
    return `failed to parse int from ${text}: strconv.Atoi: parsing ${quote(text)}: invalid syntax`;
  }
  const number = Number(text);
  return number < 0 ? `negative number (${number}) not allowed: ${text}` : number;
}

/** Whether the time zone database has a zone of this name; the comparison is case-sensitive. */
export function isTimeZone(name: string): boolean {
  if (name === "") return true;
  try {
    const known = new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
    return known === name || known.toLowerCase() !== name.toLowerCase();
  } catch {
    return false;
  }
}
