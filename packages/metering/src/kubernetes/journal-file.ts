/** A journal on disk: opened or continued, appended line by line, numbered without gaps. */
import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import { MeterError } from "../error.ts";

/** A line without its number. */
export interface LineFields {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "SYNCED" | "BOOKMARK" | "LOST";
  readonly [name: string]: unknown;
}

/** How a journal is opened. */
export interface JournalOptions {
  /** The cluster; absent for that of an existing journal. */
  readonly cluster?: string;
  readonly now: number;
  /** Makes the id of a new journal. */
  readonly newId: () => string;
}

/** An open journal. */
export class JournalFile implements Disposable {
  readonly path: string;
  readonly id: string;
  readonly cluster: string;
  readonly #file: number;
  #n: number;

  constructor(path: string, file: number, head: Head & { readonly n: number }) {
    this.path = path;
    this.#file = file;
    this.id = head.id;
    this.cluster = head.cluster;
    this.#n = head.n;
  }

  /** Appends lines. A crash leaves whole lines, and at most one torn one at the end. */
  append(lines: readonly LineFields[]): void {
    writeAll(this.#file, lines.map(({ type, ...fields }) => format({ n: ++this.#n, type, ...fields })).join(""));
  }

  /** Waits until the lines are on the disk. */
  sync(): void {
    fsyncSync(this.#file);
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }
}

interface Head {
  readonly id: string;
  readonly cluster: string;
}

/** Opens a journal, or makes one. A torn last line is cut off: no import has read it. */
export function openJournal(path: string, options: JournalOptions): JournalFile {
  const file = openSync(path, "a+", 0o600);
  try {
    const whole = lastNewline(file) + 1;
    if (whole < fstatSync(file).size) ftruncateSync(file, whole);
    const head = whole === 0 ? undefined : readHead(file, path);
    if (head === undefined) return createJournal(path, file, options);
    const { cluster = head.cluster } = options;
    if (cluster !== head.cluster)
      throw new MeterError(
        "BadInput",
        `${path} is the journal of cluster ${JSON.stringify(head.cluster)}, not of ${JSON.stringify(cluster)}; give another --journal`,
      );
    return new JournalFile(path, file, { ...head, n: lastNumber(file, { path, end: whole }) });
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function createJournal(path: string, file: number, { cluster = "", now, newId }: JournalOptions): JournalFile {
  const head = { id: newId(), cluster };
  writeAll(file, format({ n: 1, type: "JOURNAL", ...head, at: new Date(now).toISOString() }));
  return new JournalFile(path, file, { ...head, n: 1 });
}

function format(line: object): string {
  return `${JSON.stringify(line)}\n`;
}

function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let sent = 0; sent < bytes.length;) sent += writeSync(file, bytes, sent);
}

const chunkSize = 65_536;
const newline = 10;

function readAt(file: number, from: number, to: number): Buffer {
  const bytes = Buffer.alloc(to - from);
  return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from));
}

/** The place of the last newline before `end`; -1 without one. */
function lastNewline(file: number, end: number = fstatSync(file).size): number {
  for (let to = end; to > 0; to -= chunkSize) {
    const from = Math.max(0, to - chunkSize);
    const at = readAt(file, from, to).lastIndexOf(newline);
    if (at !== -1) return from + at;
  }
  return -1;
}

function readHead(file: number, path: string): Head {
  const first = readAt(file, 0, chunkSize);
  const line = parse(first.subarray(0, first.indexOf(newline)).toString(), path);
  const { type, id, cluster = "" } = line;
  if (type !== "JOURNAL" || typeof id !== "string" || typeof cluster !== "string") throw notAJournal(path);
  return { id, cluster };
}

function lastNumber(file: number, { path, end }: { readonly path: string; readonly end: number }): number {
  const from = lastNewline(file, end - 1) + 1;
  const { n } = parse(readAt(file, from, end).toString(), path);
  if (typeof n !== "number") throw notAJournal(path);
  return n;
}

function parse(text: string, path: string): { readonly [name: string]: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return { ...value };
  } catch {
    // Said below.
  }
  throw notAJournal(path);
}

function notAJournal(path: string): MeterError {
  return new MeterError("BadInput", `${path} is not a journal; give another --journal, or remove the file`);
}
