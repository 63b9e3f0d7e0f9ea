/** Replaces texts that differ from run to run wherever they occur: uids, generated names, and times of the run. */

/** A period in milliseconds since 1970. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** What differs from run to run. */
export interface RunTexts {
  readonly span: Span;
  readonly uids: readonly string[];
  readonly names: readonly string[];
}

/** How times are written, and how each is read. */
const TIMES: readonly (readonly [RegExp, (text: string) => number])[] = [
  // RFC 3339
  [/\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)/gu, (text) => Date.parse(text.toUpperCase())],
  // without separators, as in names
  [/(?<!\d)20\d{6}[-tT.]?\d{4}(?:\d\d)?(?!\d)/gu, parseCompact],
  // seconds, milliseconds and minutes since 1970; names of Jobs of a CronJob end with the minutes
  [/(?<!\d)\d{13}(?!\d)/gu, Number],
  [/(?<!\d)\d{10}(?!\d)/gu, (text) => Number(text) * 1000],
  [/(?<!\d)\d{8}(?!\d)/gu, (text) => Number(text) * 60_000],
];

/** A function that replaces these texts in strings and numbers of a JSON value, names of fields included. */
export function plainTexts({ span, uids, names }: RunTexts): (value: unknown) => unknown {
  const known = new Map<string, string>();
  for (const name of names) known.set(name, "<name>");
  for (const uid of uids) known.set(uid, "<uid>");
  // The longest first: one name may begin with another.
  const texts = [...known.keys()].toSorted((a, b) => b.length - a.length).map(escaped);
  const pattern = texts.length === 0 ? undefined : new RegExp(texts.join("|"), "gu");
  const plain = (text: string): string => {
    const named = pattern === undefined ? text : text.replace(pattern, (found) => known.get(found) ?? found);
    return withoutTimes(named, span);
  };
  return (value) => replaced(value, plain);
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/gu, "\\$&");
}

function replaced(value: unknown, plain: (text: string) => string): unknown {
  if (typeof value === "string") return plain(value);
  if (typeof value === "number") {
    const text = plain(String(value));
    return text === String(value) ? value : text;
  }
  if (Array.isArray(value)) return value.map((item) => replaced(item, plain));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(renamed(Object.entries(value), plain));
}

/** Fields whose names become equal are distinguished by their place in the order of their values. */
function renamed(
  entries: readonly (readonly [string, unknown])[],
  plain: (text: string) => string,
): readonly (readonly [string, unknown])[] {
  const made = entries.map(([name, item]) => [plain(name), replaced(item, plain)] as const);
  const groups = Map.groupBy(made, ([name]) => name);
  return [...groups].flatMap(([name, same]) => {
    const values = same.map(([, item]) => item);
    if (values.length === 1) return [[name, values[0]] as const];
    const inOrder = values.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    return inOrder.map((item, at) => [`${name}${at}`, item] as const);
  });
}

/** Replaces times of the run: they differ between runs. Others, such as one that a user states, are compared. */
export function withoutTimes(text: string, { from, to }: Span): string {
  return TIMES.reduce((changed, [pattern, read]) => {
    return changed.replace(pattern, (found) => {
      const time = read(found);
      return time >= from - ROUNDING && time <= to + ROUNDING ? "<time>" : found;
    });
  }, text);
}

/** Times are rounded to seconds or minutes. */
const ROUNDING = 60_000;

function parseCompact(text: string): number {
  const digits = text.replaceAll(/\D/gu, "");
  const part = (from: number, length: number): number => Number(digits.slice(from, from + length));
  return Date.UTC(part(0, 4), part(4, 2) - 1, part(6, 2), part(8, 2), part(10, 2), part(12, 2));
}
