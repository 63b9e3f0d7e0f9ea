/** Writes the lines of the audit that commands owe: imports, corrections, closed invoices, removals, and changes of the book. */
import { createHash } from "node:crypto";
import { userInfo } from "node:os";
import { type AuditAction, type AuditEvent, type ImportResult, appendAudit, readAudit } from "@capstan/metering";
import type { Terminal } from "../terminal.ts";
import { type MeterValues, nowOf, openArchive, readBookText } from "./options.ts";

/** What happened, without time and user. */
export interface Happening {
  readonly action: AuditAction;
  readonly details: AuditEvent["details"];
}

/** What is written to the audit. */
export interface Auditing {
  readonly terminal: Terminal;
  readonly happenings: readonly Happening[];
  readonly user?: string;
  /** Some commands need no book. */
  readonly book?: "needed" | "optional";
}

async function hashOfBook(values: MeterValues, terminal: Terminal): Promise<string> {
  return createHash("sha256")
    .update(await readBookText(values, terminal))
    .digest("hex");
}

/** Writes what happened; a book that is not the last known one is a line of its own. */
export async function audit(
  values: MeterValues,
  { terminal, happenings, user = userName(), book = "needed" }: Auditing,
): Promise<void> {
  await using opened = await openArchive(values, terminal);
  const at = new Date(nowOf(values)).toISOString();
  const sha256 = await hashOfBook(values, terminal).catch((error: unknown) => {
    if (book === "optional") return undefined;
    throw error;
  });
  const known = (await readAudit(opened)).findLast(({ action }) => action === "book")?.details["sha256"];
  const change: Happening[] = sha256 === undefined || known === sha256 ? [] : [{ action: "book", details: { sha256 } }];
  await appendAudit(
    opened,
    [...change, ...happenings].map((happening) => ({ at, user, ...happening })),
  );
}

/** The lines of an import. */
export function importHappenings(result: ImportResult): Happening[] {
  const { source, read, stored, duplicate, late, conflict, rejected, corrections = [] } = result;
  return [
    { action: "import", details: { source, read, stored, duplicate, late, conflict, rejected } },
    ...corrections.map(({ id, corrects }): Happening => ({ action: "correction", details: { source, id, corrects } })),
  ];
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A process of a container may have a user id without a name.
    return String(process.getuid?.() ?? "");
  }
}
