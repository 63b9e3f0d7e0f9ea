/** The audit of a store: one line for each import, close, correction, removal, change of the book and refusal, in a hash chain. */
import { createHash } from "node:crypto";
import { MeterError } from "../error.ts";
import type { StoredText } from "../store/archive.ts";
import type { Store } from "../store/store.ts";
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

/** All lines. */
export async function readAudit({ archive }: Pick<Store, "archive">): Promise<readonly AuditEntry[]> {
  return (await archive.auditLines()).map(parseEntry);
}

function parseEntry({ where, text }: StoredText): AuditEntry {
  try {
    return JSON.parse(text) as AuditEntry;
  } catch (cause) {
    throw new MeterError("Corrupt", `${where} is not JSON; restore the audit from a backup`, { cause });
  }
}

/** The hash of a line: SHA-256 of its canonical JSON without the hash. */
export function auditHash({ hash: _hash, ...rest }: Omit<AuditEntry, "hash"> & { readonly hash?: string }): string {
  return createHash("sha256").update(canonicalJson(rest)).digest("hex");
}

/** Appends lines to the chain. */
export async function appendAudit({ archive }: Pick<Store, "archive">, events: readonly AuditEvent[]): Promise<void> {
  if (events.length === 0) return;
  await archive.appendAudit((before) => {
    const last = before === undefined ? undefined : parseEntry(before);
    let [n, previous] = [last?.n ?? 0, last?.hash ?? null];
    return events.map((event) => {
      n += 1;
      const entry = { n, ...event, previous };
      previous = auditHash(entry);
      return JSON.stringify({ ...entry, hash: previous });
    });
  });
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
