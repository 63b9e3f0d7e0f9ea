/** What the status remembers of a recovery: why it began, what it began with, and how far it is. */
import type { NewRecovery, SkippedBackup } from "../contract.ts";
import type { ClusterStatus, ClusterObservation } from "../observe/index.ts";
import { formatTimestamp } from "../timestamp.ts";

/** As the status takes it. */
type RecoveryStatus = Omit<NonNullable<ClusterStatus["recovery"]>, "passed"> & {
  passed?: { -readonly [Part in keyof SkippedBackup]: string }[];
};

/** Watchers of the old data must not see revisions that they have seen already: so many writes are more than any cluster has between two. */
const revisionBump = 1_000_000_000;

export function recoveryRecord(
  seen: Pick<ClusterObservation, "object" | "now" | "seedFrom" | "newest">,
  recovery: NewRecovery,
): RecoveryStatus {
  const former = seen.object.status?.recovery;
  const { backup: _backup, skipped: _passed, ...noted } = recovery;
  const skipped = skippedOf(recovery.skipped ?? former?.passed);
  if (recovery.phase === "Stopping")
    return { ...noted, ...skippedOf(recovery.skipped), ...sourceOf(seen, recovery), began: formatTimestamp(seen.now) };
  const { mayBeLost, passed: _before, ...rest } = { ...former, ...noted };
  const isCalledOff = recovery.phase === "Returning" || recovery.phase === "Refused";
  return {
    ...rest,
    ...skipped,
    ...(mayBeLost === undefined || isCalledOff ? {} : { mayBeLost }),
    reason: recovery.phase === "Returning" ? recovery.reason : (former?.reason ?? recovery.reason),
    began: former?.began ?? formatTimestamp(seen.now),
  };
}

function skippedOf(skipped: readonly SkippedBackup[] | undefined): Pick<RecoveryStatus, "passed"> {
  return skipped === undefined ? {} : { passed: skipped.map((one) => ({ ...one })) };
}

/** The backup is settled when the recovery begins. Each raises revisions above the one before, whichever backup it takes. */
function sourceOf(
  { object, seedFrom, newest }: Pick<ClusterObservation, "object" | "seedFrom" | "newest">,
  { source, restore }: NewRecovery,
): Partial<RecoveryStatus> {
  const { bump = 0 } = object.status?.recovery ?? {};
  if (source !== "Backup") return bump === 0 ? {} : { bump };
  const from = restore === undefined ? newest : seedFrom;
  return { bump: bump + revisionBump, ...(from === undefined ? {} : { from }) };
}
