/**
 * A copy is left, and a backup has more. Members and backups of one cluster are beginnings of one and the same history, so the one with the
 * higher revision has all of the other: as long as etcd's id is the same, nobody went on alone in between and no later backup has less.
 */
import type { Action, Observation, PassedBackup } from "../contract.ts";

/** A backup with a higher revision than what is left: whether it is taken, and how it is told of where it is not. */
interface LaterBackup {
  readonly isTaken: boolean;
  readonly sentence: string;
}

export function laterBackup(seen: Observation, revision: number): LaterBackup | undefined {
  const { newestBackup, newestRevision = 0, isNewestInLine = false, wanted, name } = seen;
  if (newestBackup === undefined || newestRevision <= revision) return undefined;
  const why = isNewestInLine
    ? ""
    : ", but not for certain all of it (data was found to differ, or a backup that was made after it has less)";
  const sentence = `; the backup ${newestBackup} has revision ${newestRevision}, later than that${why}: an EtcdRestore that names it with spec.overwrite: ${name} brings it`;
  return { isTaken: isNewestInLine && wanted.recoversFromBackup, sentence };
}

/** Who is left, how far it is, and who is not. */
interface Left {
  readonly name: string;
  readonly revision: number;
  readonly gone: string;
}

/** The volumes of those that are left stay until a member serves the backup. */
export function takeLater(seen: Observation, { name, revision, gone }: Left): Action {
  const { newestBackup, newestRevision = 0 } = seen;
  const recovery = {
    phase: "Stopping",
    source: "Backup",
    ...passedBefore(seen),
    revision: newestRevision,
    mayBeLost: `writes after revision ${newestRevision}, which is the last in the backup ${newestBackup}; ${name} would have lost those after revision ${revision}`,
    reason: `the data of ${gone} is gone for good; ${name} is left with revision ${revision}, and the backup ${newestBackup} has all of that and more, up to revision ${newestRevision} (spec.recovery.fromBackup: false goes on with ${name})`,
  } as const;
  return { do: "note-recovery", recovery };
}

/** Backups that could not be used, and for which what is left was gone back to: they are not tried again. */
export function passedBefore({ known }: Pick<Observation, "known">): { readonly passed?: readonly PassedBackup[] } {
  const { phase, passed = [] } = known.recovery ?? {};
  return phase === "Refused" && passed.length > 0 ? { passed } : {};
}

export function listPassed(passed: readonly PassedBackup[]): string {
  return passed.map(({ backup, why }) => `${backup}, which cannot be used (${why})`).join(", ");
}
