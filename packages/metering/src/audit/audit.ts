/** The audit of a store: one line for each import, close, correction, removal, change of the book and refusal, in a hash chain. */
import { createHash } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { MeterError } from "../error.ts";
import { takeLock } from "../store/lock.ts";
import { appendLines } from "../store/manifest.ts";
import { canonicalJson } from "./canonical.ts";

/** What is audited. */
export type AuditAction = "import" | "close" | "correction" | "forget" | "book" | "refused";

/** One line before it is in the chain. */
export interface AuditEvent {
  readonly at: string;
  readonly action: AuditAction;
  /** The user of the command, or the caller of the server. */
  readonly user: string;
  readonly details: { readonly [name: string]: string | number | boolean | null };
}

/** One line of the chain. */
export interface AuditEntry extends AuditEvent {
  readonly n: number;
  /** The hash of the line before; null in the first one. */
  readonly previous: string | null;
  readonly hash: string;
}

/** Where the audit of a store is. */
export interface AuditPlace {
  readonly folder: string;
  readonly pid: number;
  /** Waits between attempts to write. */
  readonly pause: () => Promise<void>;
}

/** All lines; a torn last line was never written. */
export async function readAudit(folder: string): Promise<readonly AuditEntry[]> {
  const path = join(folder, "audit.ndjson");
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  });
  const lines = text.slice(0, text.lastIndexOf("\n") + 1).split("\n");
  return lines.filter((line) => line !== "").map((line, at) => parseEntry(line, `${path}:${at + 1}`));
}

function parseEntry(line: string, where: string): AuditEntry {
  try {
    return JSON.parse(line) as AuditEntry;
  } catch (cause) {
    throw new MeterError("Corrupt", `${where} is not JSON; restore the audit from a backup`, { cause });
  }
}

/** The hash of a line: SHA-256 of its canonical JSON without the hash. */
export function auditHash({ hash: _hash, ...rest }: Omit<AuditEntry, "hash"> & { readonly hash?: string }): string {
  return createHash("sha256").update(canonicalJson(rest)).digest("hex");
}

const queues = new Map<string, Promise<unknown>>();

/** Appends lines to the chain; writers of other processes wait. */
export async function appendAudit(place: AuditPlace, events: readonly AuditEvent[]): Promise<void> {
  if (events.length === 0) return;
  const before = queues.get(place.folder) ?? Promise.resolve();
  const own = before.catch(() => undefined).then(() => write(place, events));
  queues.set(place.folder, own);
  await own;
}

async function write({ folder, pid, pause }: AuditPlace, events: readonly AuditEvent[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  await using _lock = await takeLock(folder, { pid, wait: pause, name: "audit.lock" });
  const last = (await readAudit(folder)).at(-1);
  let [n, previous] = [last?.n ?? 0, last?.hash ?? null];
  const lines: string[] = [];
  for (const event of events) {
    n += 1;
    const entry = { n, ...event, previous };
    previous = auditHash(entry);
    lines.push(JSON.stringify({ ...entry, hash: previous }));
  }
  await appendLines(join(folder, "audit.ndjson"), lines);
}

/** What is wrong with the chain; nothing where it is whole. */
export function auditProblems(entries: readonly AuditEntry[]): string[] {
  let previous: string | null = null;
  const problems: string[] = [];
  for (const [at, entry] of entries.entries()) {
    if (entry.n !== at + 1) problems.push(`line ${at + 1} has the number ${entry.n}`);
    if (entry.previous !== previous) problems.push(`line ${at + 1}: previous is not the hash of the line before`);
    if (auditHash(entry) !== entry.hash) problems.push(`line ${at + 1}: the hash does not fit the content`);
    previous = entry.hash;
  }
  return problems;
}
