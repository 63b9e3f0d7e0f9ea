/** Sets strings in a mapping of a YAML or JSON file and keeps every other character. */
import { isDeepStrictEqual } from "node:util";
import type { Node, Pair, YAMLMap } from "yaml";
import { ConfigError } from "../error/config-error.ts";

/** The path of a mapping: keys and list indexes. */
export type FieldPath = readonly (string | number)[];

/** Strings by field name. */
export type Texts = Readonly<Record<string, string>>;

/** A range of the file and its replacement. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text with these fields in the mapping at `path`. Throws if the edit would change something else, as with a shared alias. */
export async function setFields(text: string, path: FieldPath, fields: Texts): Promise<string> {
  const { isMap, parse, parseDocument } = await import("yaml");
  const mapping = parseDocument(text).getIn(path, true);
  if (!isMap<Node, Node | null>(mapping)) throw notAlone(path);
  const edits = Object.entries(fields).map(([name, value]) => editOf(text, mapping, { name, value }));
  const edited = applied(text, edits);
  // Verifies the edited text by parsing it.
  const wanted = plain(parse(text));
  Object.assign(within(wanted, path) ?? {}, fields);
  if (!isDeepStrictEqual(plain(readable(parse, edited, path)), wanted)) throw notAlone(path);
  return edited;
}

function notAlone(path: FieldPath): ConfigError {
  return new ConfigError("Unwritable", `${path.join(".")} cannot be changed there without changing something else`);
}

function readable(parse: (text: string) => unknown, text: string, path: FieldPath): unknown {
  try {
    return parse(text);
  } catch {
    throw notAlone(path);
  }
}

/** Plain JSON, with aliases expanded. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null)) as unknown;
}

function within(value: unknown, path: FieldPath): unknown {
  return path.reduce((found, step) => (found as Record<string | number, unknown> | undefined)?.[step], value);
}

function applied(text: string, edits: readonly Edit[]): string {
  return edits
    .toSorted((one, other) => other.start - one.start)
    .reduce((done, { start, end, text: added }) => done.slice(0, start) + added + done.slice(end), text);
}

interface Field {
  readonly name: string;
  readonly value: string;
}

type Mapping = YAMLMap<Node, Node | null>;

function editOf(text: string, mapping: Mapping, { name, value }: Field): Edit {
  const isFlow = mapping.flow === true;
  const there = mapping.items.find(({ key }) => key.toJSON() === name);
  if (there !== undefined) return replacement(text, there, isFlow ? JSON.stringify(value) : scalar(value));
  const start = mapping.items[0]?.key.range?.[0] ?? mapping.range?.[1] ?? text.length;
  if (isFlow) return { start, end: start, text: `${JSON.stringify(name)}: ${JSON.stringify(value)}, ` };
  // Inserts before the first field, because a comment may follow the last one.
  const line = text.lastIndexOf("\n", start) + 1;
  const lineEnd = text.at(line - 2) === "\r" ? "\r\n" : "\n";
  return { start, end: start, text: `${name}: ${scalar(value)}${lineEnd}${text.slice(line, start)}` };
}

function replacement(text: string, { key, value }: Pair<Node, Node | null>, written: string): Edit {
  const [start, end] = value?.range ?? [0, 0];
  if (start < end) {
    // A block scalar (`|`, `>`) includes its last line break.
    const rest = /\r?\n$/u.exec(text.slice(start, end))?.[0] ?? "";
    return { start, end, text: `${text.at(start - 1) === ":" ? " " : ""}${written}${rest}` };
  }
  const colon = text.indexOf(":", key.range?.[1] ?? start) + 1;
  return { start: colon, end: colon, text: ` ${written}` };
}

/** Long words that start with a letter are strings in every YAML version; others are quoted. */
function scalar(value: string): string {
  return /^[A-Za-z][\w.-]{15,}$/u.test(value) ? value : JSON.stringify(value);
}
