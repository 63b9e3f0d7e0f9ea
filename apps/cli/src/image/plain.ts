/** Converts the TypeScript of an image to JavaScript, line for line, so that it is not stripped at every start. */
import { posix } from "node:path";
import type { LayerEntry } from "@capstan/oci";

/** Strips types from sources. A parameter, because Node does it in another process. */
export type Strip = (sources: readonly string[]) => Promise<readonly string[]>;

const typescript = /(?<!\.d)\.([cm]?)ts$/;

/** The name of a file after its types are stripped. */
export function plainName(path: string): string {
  return path.replace(typescript, ".$1js");
}

/** Entries without TypeScript. References to renamed files, in code or in a package.json, are updated. */
export async function toPlain(entries: readonly LayerEntry[], strip: Strip): Promise<LayerEntry[]> {
  const taken = new Set(entries.map(({ path }) => path));
  const sources = entries.filter(
    ({ path, type }) => type === "file" && typescript.test(path) && !taken.has(plainName(path)),
  );
  const renamed = new Set(sources.map(({ path }) => path));
  const texts = await strip(sources.map(textOf));
  const plain = new Map(sources.map(({ path }, at) => [path, texts[at] ?? ""]));
  return entries.map((entry) => {
    const text = plain.get(entry.path);
    if (text !== undefined) return { ...entry, path: plainName(entry.path), body: renameIn(text, entry.path, renamed) };
    if (entry.type === "file" && /\.[cm]?js$/.test(entry.path))
      return withBody(entry, renameIn(textOf(entry), entry.path, renamed));
    if (entry.type === "file" && posix.basename(entry.path) === "package.json")
      return withBody(entry, renameInPackage(textOf(entry), entry.path, renamed));
    return entry;
  });
}

function textOf({ body = "" }: LayerEntry): string {
  return typeof body === "string" ? body : Buffer.from(body).toString("utf8");
}

/** Returns the same entry if nothing changed. */
function withBody(entry: LayerEntry, text: string): LayerEntry {
  return text === textOf(entry) ? entry : { ...entry, body: text };
}

/** Updates quoted relative paths to renamed files, whether imported, forked or read. */
function renameIn(text: string, path: string, renamed: ReadonlySet<string>): string {
  return text.replaceAll(/(["'`])(\.{1,2}\/[^"'`\n]*\.[cm]?ts)\1/g, (whole, quote: string, named: string) =>
    renamed.has(posix.join(posix.dirname(path), named)) ? `${quote}${plainName(named)}${quote}` : whole,
  );
}

const entryFields = ["main", "module", "exports", "imports", "bin"] as const;

function renameInPackage(text: string, path: string, renamed: ReadonlySet<string>): string {
  const folder = posix.dirname(path);
  const read = JSON.parse(text) as { [field: string]: unknown };
  const walk = (value: unknown): unknown => {
    if (typeof value === "string") {
      // A pattern matches many files.
      const isMeant = value.includes("*") ? typescript.test(value) : renamed.has(posix.join(folder, value));
      return isMeant ? plainName(value) : value;
    }
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, walk(inner)]));
  };
  const own = Object.fromEntries(entryFields.flatMap((field) => (field in read ? [[field, walk(read[field])]] : [])));
  return JSON.stringify(own) ===
    JSON.stringify(Object.fromEntries(Object.keys(own).map((field) => [field, read[field]])))
    ? text
    : `${JSON.stringify({ ...read, ...own }, undefined, 2)}\n`;
}
