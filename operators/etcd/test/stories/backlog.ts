/** What is left to try of what was asked for, when some of it has been recorded already: whatever was tried least comes first. */
import type { Recorded } from "./results.ts";

/** One attempt: the how-manieth of its name. */
export interface Attempt<Case> {
  readonly of: Case;
  readonly repeat: number;
}

/** Attempts in rounds: nobody is tried again before everybody else has been tried as often. */
export function backlogOf<Case>(
  cases: readonly Case[],
  timesOf: (one: Case) => number,
  repeats: number,
): readonly Attempt<Case>[] {
  const rounds = Array.from({ length: repeats }, (_, repeat) => repeat);
  return rounds.flatMap((repeat) => cases.filter((one) => timesOf(one) <= repeat).map((of) => ({ of, repeat })));
}

/** How often something was tried on a ground. */
export function timesTried(results: readonly Recorded[], ground: Recorded["ground"], name: string): number {
  return results.filter((one) => one.ground === ground && (one.kind === "trial" ? one.harm : one.name) === name).length;
}
