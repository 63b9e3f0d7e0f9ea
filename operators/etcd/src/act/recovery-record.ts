/** What the status remembers of a recovery: why it began, what it began with, and how far it is. */
import type { NewRecovery, PassedBackup } from "../contract.ts";
import type { ClusterStatus, Seen } from "../observe/index.ts";
import { formatTimestamp } from "../timestamp.ts";

/** As the status takes it. */
type RecoveryStatus = Omit<NonNullable<ClusterStatus["recovery"]>, "passed"> & {
  passed?: { -readonly [Part in keyof PassedBackup]: string }[];
};

/** Watchers of the old data must not see revisions that they have seen already: so many writes are more than any cluster has between two. */
const BUMP = 1_000_000_000;

export function recoveryRecord(
  seen: Pick<Seen, "object" | "now" | "seedFrom" | "newest">,
  recovery: NewRecovery,
): RecoveryStatus {
  const former = seen.object.status?.recovery;
  const { backup: _backup, passed: _passed, ...noted } = recovery;
  const passed = passedOf(recovery.passed ?? former?.passed);
  if (recovery.phase === "Stopping")
    return { ...noted, ...passedOf(recovery.passed), ...sourceOf(seen, recovery), began: formatTimestamp(seen.now) };
  const { mayBeLost, passed: _before, ...rest } = { ...former, ...noted };
  const isCalledOff = recovery.phase === "Returning" || recovery.phase === "Refused";
  return {
    ...rest,
    ...passed,
    ...(mayBeLost === undefined || isCalledOff ? {} : { mayBeLost }),
    reason: recovery.phase === "Returning" ? recovery.reason : (former?.reason ?? recovery.reason),
    began: former?.began ?? formatTimestamp(seen.now),
  };
}

function passedOf(passed: readonly PassedBackup[] | undefined): Pick<RecoveryStatus, "passed"> {
  return passed === undefined ? {} : { passed: passed.map((one) => ({ ...one })) };
}

/** The backup is settled when the recovery begins. Each raises revisions above the one before, whichever backup it takes. */
function sourceOf(
  { object, seedFrom, newest }: Pick<Seen, "object" | "seedFrom" | "newest">,
  { source, restore }: NewRecovery,
): Partial<RecoveryStatus> {
  const { bump = 0 } = object.status?.recovery ?? {};
  if (source !== "Backup") return bump === 0 ? {} : { bump };
  const from = restore === undefined ? newest : seedFrom;
  return { bump: bump + BUMP, ...(from === undefined ? {} : { from }) };
}
