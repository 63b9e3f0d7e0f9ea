/**
 * A member survived, and a backup has a higher revision. Members and backups of one cluster are prefixes of one history, so the higher
 * revision contains the lower. That holds if the cluster id is the same, no single-member recovery happened in between, and no later
 * backup has a lower revision.
 */
import type { Action, Observation, SkippedBackup } from "./contract.ts";
import { withArticle } from "./with-article.ts";

/** A backup with a higher revision than the surviving member: whether it is used, and a sentence about it if not. */
interface NewerBackup {
  readonly isTaken: boolean;
  readonly sentence: string;
}

export function newerBackup(seen: Observation, revision: number): NewerBackup | undefined {
  const {
    newestBackup,
    newestRevision = 0,
    isNewestComplete: isNewestInLine = false,
    desired,
    name,
    application,
  } = seen;
  if (newestBackup === undefined || newestRevision <= revision) return undefined;
  const why = isNewestInLine
    ? ""
    : ", but not for certain all of it (data was found to differ, or a backup that was made after it has less)";
  const sentence = `; the backup ${newestBackup} has revision ${newestRevision}, later than that${why}: ${withArticle(application.kinds.restore)} that names it with spec.overwrite: ${name} brings it`;
  return { isTaken: isNewestInLine && desired.recoversFromBackup, sentence };
}

/** The surviving member, its revision, and the lost ones. */
interface Survivors {
  readonly name: string;
  readonly revision: number;
  readonly gone: string;
}

/** The volumes of the survivors stay until a member serves the backup. */
export function restoreNewerBackup(seen: Observation, { name, revision, gone }: Survivors): Action {
  const { newestBackup, newestRevision = 0 } = seen;
  const recovery = {
    phase: "Stopping",
    source: "Backup",
    ...skippedBefore(seen),
    revision: newestRevision,
    mayBeLost: `writes after revision ${newestRevision}, which is the last in the backup ${newestBackup}; ${name} would have lost those after revision ${revision}`,
    reason: `the data of ${gone} is gone for good; ${name} is left with revision ${revision}, and the backup ${newestBackup} has all of that and more, up to revision ${newestRevision} (spec.recovery.fromBackup: false goes on with ${name})`,
  } as const;
  return { do: "note-recovery", recovery };
}

/** Backups that could not be used, so that the recovery returned to a survivor. They are not tried again. */
export function skippedBefore({ recordedState }: Pick<Observation, "recordedState">): {
  readonly skipped?: readonly SkippedBackup[];
} {
  const { phase, skipped = [] } = recordedState.recovery ?? {};
  return phase === "Refused" && skipped.length > 0 ? { skipped } : {};
}

export function listSkipped(skipped: readonly SkippedBackup[]): string {
  return skipped.map(({ backup, why }) => `${backup}, which cannot be used (${why})`).join(", ");
}
