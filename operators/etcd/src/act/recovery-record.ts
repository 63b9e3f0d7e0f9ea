/** The status of a recovery: its reason, its source, and its phase. */
import type { NewRecovery, SkippedBackup } from "../contract.ts";
import type { ClusterStatus, ClusterObservation } from "../observe/index.ts";
import { formatTimestamp } from "../timestamp.ts";

/** The status type with mutable fields. */
type RecoveryStatus = Omit<NonNullable<ClusterStatus["recovery"]>, "passed"> & {
  passed?: { -readonly [Part in keyof SkippedBackup]: string }[];
};

/** Clients that watched the old data must not see a revision twice. No cluster makes this many writes between two backups. */
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

/**
 * The backup is chosen when the recovery begins. Each recovery raises the revision above that of the one before, whichever backup it
 * restores.
 */
function sourceOf(
  { object, seedFrom, newest }: Pick<ClusterObservation, "object" | "seedFrom" | "newest">,
  { source, restore }: NewRecovery,
): Partial<RecoveryStatus> {
  const { bump = 0 } = object.status?.recovery ?? {};
  if (source !== "Backup") return bump === 0 ? {} : { bump };
  const from = restore === undefined ? newest : seedFrom;
  if (from === undefined) return { bump: bump + revisionBump };
  // It comes from a spec or a status of this operator, so it has the types of their schemas.
  return { bump: bump + revisionBump, from: from as NonNullable<RecoveryStatus["from"]> };
}
