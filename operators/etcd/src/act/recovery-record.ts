/** What the status remembers of a recovery: why it began, what it began with, and how far it is. */
import type { NewRecovery } from "../contract.ts";
import type { ClusterStatus, Seen } from "../observe/index.ts";
import { formatTimestamp } from "../timestamp.ts";

type RecoveryStatus = NonNullable<ClusterStatus["recovery"]>;

/** Watchers of the old data must not see revisions that they have seen already: so many writes are more than any cluster has between two. */
const BUMP = 1_000_000_000;

export function recoveryRecord(seen: Pick<Seen, "object" | "now" | "seedFrom">, recovery: NewRecovery): RecoveryStatus {
  const former = seen.object.status?.recovery;
  if (recovery.phase === "Stopping")
    return { ...recovery, ...sourceOf(seen, recovery), began: formatTimestamp(seen.now) };
  const { mayBeLost, ...rest } = { ...former, ...recovery };
  const isCalledOff = recovery.phase === "Returning" || recovery.phase === "Refused";
  return {
    ...rest,
    ...(mayBeLost === undefined || isCalledOff ? {} : { mayBeLost }),
    reason: recovery.phase === "Returning" ? recovery.reason : (former?.reason ?? recovery.reason),
    began: former?.began ?? formatTimestamp(seen.now),
  };
}

/** The backup is settled when the recovery begins. Each raises revisions above the one before, whichever backup it takes. */
function sourceOf(
  { object, seedFrom }: Pick<Seen, "object" | "seedFrom">,
  { source }: NewRecovery,
): Partial<RecoveryStatus> {
  const { bump = 0 } = object.status?.recovery ?? {};
  if (source !== "Backup") return bump === 0 ? {} : { bump };
  return { bump: bump + BUMP, ...(seedFrom === undefined ? {} : { from: seedFrom }) };
}
