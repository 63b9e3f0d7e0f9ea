/** Questions to whoever sits at the terminal; where nobody does, the usual answer counts. */
import { withoutProgress } from "../output/progress.ts";
import type { Terminal } from "../terminal.ts";

/** What is asked for, and what is wrong with an answer: it throws. */
export interface TextQuestion {
  readonly question: string;
  readonly usual: string;
  readonly check: (answer: string) => void;
}

/** Somebody who is wrong this often wants out. */
const MOST_TRIES = 5;

/** A text, the usual one if the answer is empty. An answer that cannot be used is told why, and asked for again. */
export async function askText(terminal: Terminal, { question, usual, check }: TextQuestion): Promise<string> {
  if (!terminal.isInteractive) return usual;
  for (let tries = 1; ; tries++) {
    const answer = (await withoutProgress(terminal, () => terminal.ask(`${question} (${usual}): `))) || usual;
    try {
      check(answer);
      return answer;
    } catch (error) {
      if (tries === MOST_TRIES || !(error instanceof Error)) throw error;
      terminal.err(`${error.message}\n`);
    }
  }
}

/** Yes or no. */
export async function askYesNo(terminal: Terminal, question: string, usual: boolean): Promise<boolean> {
  if (!terminal.isInteractive) return usual;
  const answer = await withoutProgress(terminal, () => terminal.ask(`${question} [${usual ? "Y/n" : "y/N"}] `));
  return answer === "" ? usual : /^y(es)?$/i.test(answer);
}
