/** The number of single-member recoveries (forks). They keep the cluster id, so revisions from before and after cannot be compared. */

/**
 * The fields of a status that tell the number.
 *
 * @example
 * const twice: Forked = { forks: 2 };
 */
export interface Forked {
  readonly forks?: number | undefined;
  readonly recovery?: { readonly phase: string; readonly source?: string | undefined } | undefined;
}

/**
 * The present number. An older operator recorded none; the last recovery shows whether there may have been one.
 *
 * @example
 * const forks = forksOf({ forks: 2 });
 */
export function forksOf({ forks, recovery }: Forked = {}): number {
  if (forks !== undefined) return forks;
  const isSameLine = recovery === undefined || (recovery.source === "Backup" && recovery.phase === "Done");
  return isSameLine ? 0 : 1;
}

/**
 * The number after the next phase of a recovery is recorded: all members have stopped, and one continues. Later backups belong to the new
 * fork.
 *
 * @example
 * const forks = forksAfter({ forks: 0 }, { phase: "Seeding", source: "Member" });
 */
export function forksAfter(former: Forked | undefined, next: NonNullable<Forked["recovery"]>): number {
  const isFork = next.source === "Member" && next.phase === "Seeding" && former?.recovery?.phase !== "Seeding";
  return forksOf(former) + Number(isFork);
}
