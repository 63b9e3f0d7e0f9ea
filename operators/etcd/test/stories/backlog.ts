/** The remaining trials of those requested, when some have been recorded already: the least tried case comes first. */
import type { Recorded } from "./results.ts";

/** One trial of a case, with its number. */
export interface Attempt<Case> {
  readonly of: Case;
  readonly repeat: number;
}

/** Trials in rounds: a case is tried again only after all others have been tried as often. */
export function backlogOf<Case>(
  cases: readonly Case[],
  timesOf: (one: Case) => number,
  repeats: number,
): readonly Attempt<Case>[] {
  const rounds = Array.from({ length: repeats }, (_, repeat) => repeat);
  return rounds.flatMap((repeat) => cases.filter((one) => timesOf(one) <= repeat).map((of) => ({ of, repeat })));
}

/** How often a case was tried on a cluster. */
export function timesTried(results: readonly Recorded[], ground: Recorded["ground"], name: string): number {
  return results.filter((one) => one.ground === ground && (one.kind === "trial" ? one.harm : one.name) === name).length;
}
