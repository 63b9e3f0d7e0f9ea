/** Continues the stored log: finds the next piece on the members, and starts the job that stores it. */
import { requeue } from "@capstan/runtime";
import type { ReconcileResult } from "@capstan/runtime";
import { formatTime } from "../act/context.ts";
import type { Application, LogPiece } from "../application.ts";
import type { MemberClients } from "../observe/clients.ts";
import type { BackupSeen } from "./backup-steps.ts";
import type { BackupStatus } from "./resource.ts";

/** What is asked of the members and of the controller. */
export interface Archive<C extends AsyncDisposable, P> {
  readonly application: Application<C, P>;
  readonly seen: BackupSeen;
  readonly primary: string;
  /** The member that hands out the log. */
  readonly donor: string;
  readonly clients: MemberClients<C, P>;
  readonly startJob: (piece: LogPiece, until: string) => Promise<void>;
  readonly write: (log: BackupStatus["log"]) => void;
  readonly warn: (message: string) => void;
}

export async function archiveLog<C extends AsyncDisposable, P>(archive: Archive<C, P>): Promise<ReconcileResult> {
  const { seen, write, warn, donor } = archive;
  const log = logOf(seen);
  try {
    const next = await nextPiece(archive, log.position);
    if (next === undefined) {
      write(undefined);
      warn(`${donor} does not have the log from ${log.position} on any more: the log continues with the next backup`);
      return requeue("30s", { reason: "the log has a gap" });
    }
    const { piece, until } = next;
    if (piece.to === log.position) {
      write({ ...log, failures: 0 });
      return requeue("1s", { reason: "the log has nothing new" });
    }
    write(log);
    await archive.startJob(piece, until);
    return requeue("2s", { reason: "the log is being stored" });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    write({ ...log, failures: log.failures + 1 });
    warn(`the log cannot be read: ${why}`);
    return requeue("5s", { reason: why });
  }
}

/** The stored log; the first piece continues the newest backup. */
function logOf({ status: { log, last }, now }: BackupSeen): NonNullable<BackupStatus["log"]> {
  const lastAttempt = formatTime(now);
  if (log !== undefined) return { ...log, lastAttempt };
  return { position: last?.position ?? "", until: last?.time ?? lastAttempt, lastAttempt, failures: 0 };
}

/** Every write before the time of the primary is in the piece: the donor has applied all that the primary had then. */
async function nextPiece<C extends AsyncDisposable, P>(
  { application, clients, primary, donor }: Archive<C, P>,
  archived: string,
): Promise<{ readonly piece: LogPiece; readonly until: string } | undefined> {
  const { backups, topology } = application;
  if (backups?.log === undefined) return undefined;
  const { position, time } = await backups.log.mark(await clients.to(primary));
  const client = await clients.to(donor);
  if (donor !== primary) await topology.waitFor(client, position);
  const piece = await backups.log.next(client, backups.parsePosition(archived));
  if (piece === undefined) return undefined;
  const isLate = !["same", "ahead"].includes(topology.compare(backups.parsePosition(piece.to), position));
  if (isLate) throw new Error(`${donor} has not applied ${backups.formatPosition(position)} yet`);
  return { piece, until: time };
}
