/** The manifest of a folder store: an append-only file; a data file that it does not name does not exist. */
import { createHash } from "node:crypto";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { MeterError } from "../error.ts";
import type { StoreState } from "./store.ts";
import type { TableName } from "./tables.ts";

/** The version of the format that this code writes. */
const formatVersion = 1;

/** One data file. */
export interface DataFile {
  readonly table: TableName;
  readonly path: string;
  readonly rows: number;
  readonly sha256: string;
  /** The least start and the greatest end of its rows. */
  readonly from: number;
  readonly to: number;
}

/** One line of the manifest. */
export interface ManifestEntry {
  readonly version: number;
  readonly batch: number;
  readonly at: string;
  readonly files: readonly DataFile[];
  /** Paths of files that are replaced. */
  readonly removed?: readonly string[];
  readonly watermarks?: { readonly [meter: string]: number };
  readonly journals?: { readonly [journal: string]: number };
  readonly bills?: { readonly [unit: string]: string };
  readonly forgotten?: { readonly [tenant: string]: number };
}

/** The whole manifest: the live files and the state. */
export interface Manifest {
  readonly files: readonly DataFile[];
  readonly state: StoreState;
}

/** The manifest of a folder; an absent one is empty. */
export async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, "manifest.ndjson");
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  });
  // A torn last line was never committed.
  const lines = text.slice(0, text.lastIndexOf("\n") + 1).split("\n");
  return replay(lines.filter((line) => line !== "").map((line, at) => parseEntry(line, `${path}:${at + 1}`)));
}

function parseEntry(line: string, where: string): ManifestEntry {
  let entry: ManifestEntry;
  try {
    entry = JSON.parse(line) as ManifestEntry;
  } catch (cause) {
    throw new MeterError("Corrupt", `${where} is not JSON; restore the store from a backup`, { cause });
  }
  if (entry.version > formatVersion)
    throw new MeterError(
      "Newer",
      `${where} is of version ${entry.version}, this program knows ${formatVersion}; use a newer one`,
    );
  return entry;
}

/** The state after all entries. */
export function replay(entries: readonly ManifestEntry[]): Manifest {
  const files = new Map<string, DataFile>();
  const watermarks = new Map<string, number>();
  const journals = new Map<string, number>();
  const bills = new Map<string, { hash: string; batch: number }>();
  const forgotten = new Map<string, number>();
  for (const entry of entries) {
    for (const path of entry.removed ?? []) files.delete(path);
    for (const file of entry.files) files.set(file.path, file);
    raise(watermarks, entry.watermarks);
    raise(forgotten, entry.forgotten);
    for (const [id, n] of Object.entries(entry.journals ?? {})) journals.set(id, n);
    for (const [unit, hash] of Object.entries(entry.bills ?? {})) bills.set(unit, { hash, batch: entry.batch });
  }
  const batch = entries.at(-1)?.batch ?? 0;
  return { files: [...files.values()], state: { batch, watermarks, journals, bills, forgotten } };
}

/** Instants only move forward. */
function raise(instants: Map<string, number>, to: { readonly [name: string]: number } = {}): void {
  for (const [name, at] of Object.entries(to))
    instants.set(name, Math.max(at, instants.get(name) ?? Number.NEGATIVE_INFINITY));
}

/** Appends an entry and syncs it; a torn line of a crash is cut off first. */
export async function appendEntry(folder: string, entry: Omit<ManifestEntry, "version">): Promise<void> {
  await appendLines(join(folder, "manifest.ndjson"), [JSON.stringify({ version: formatVersion, ...entry })]);
}

/** Appends lines to a file and syncs it; a torn last line is cut off first. */
export async function appendLines(path: string, lines: readonly string[]): Promise<void> {
  await using file = await open(path, "a+");
  const text = await file.readFile();
  const whole = text.lastIndexOf(0x0a) + 1;
  if (whole < text.length) await file.truncate(whole);
  // Unlike write, this goes on after a part, and fails where the disk takes no more.
  await file.appendFile(lines.map((line) => `${line}\n`).join(""));
  await file.sync();
}

/** The SHA-256 of a file. */
export async function hashFile(path: string): Promise<string> {
  return createHash("sha256")
    .update(await readFile(path))
    .digest("hex");
}
