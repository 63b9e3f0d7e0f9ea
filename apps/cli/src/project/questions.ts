/** Asks the user at an interactive terminal; elsewhere the default counts. */
import { withoutProgress } from "../output/progress.ts";
import type { Terminal } from "../terminal.ts";

/** A question; `check` throws for an invalid answer. */
export interface TextQuestion {
  readonly question: string;
  readonly usual: string;
  readonly check: (answer: string) => void;
}

/** After this many invalid answers the command fails. */
const MOST_TRIES = 5;

/** Asks for a text; an empty answer means the default. An invalid answer prints the reason and repeats the question. */
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
