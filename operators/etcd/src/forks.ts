/** How often one member went on alone: etcd's id of the cluster stays the same then, and revisions from before do not tell what is newer. */

/** What the status remembers of it. */
export interface Forked {
  readonly forks?: number | undefined;
  readonly recovery?: { readonly phase: string; readonly source?: string | undefined } | undefined;
}

/** Its number now. An older operator wrote none down: what it last recovered from tells whether there may have been one. */
export function forksOf({ forks, recovery }: Forked = {}): number {
  if (forks !== undefined) return forks;
  const isSameLine = recovery === undefined || (recovery.source === "Backup" && recovery.phase === "Done");
  return isSameLine ? 0 : 1;
}

/** Its number once the next step of a recovery is noted: everybody has stopped, and one goes on. What is backed up from then on is of the new line. */
export function forksAfter(former: Forked | undefined, next: NonNullable<Forked["recovery"]>): number {
  const isFork = next.source === "Member" && next.phase === "Seeding" && former?.recovery?.phase !== "Seeding";
  return forksOf(former) + Number(isFork);
}
