/** Questions to whoever sits at the terminal; where nobody does, the usual answer counts. */
import { withoutProgress } from "../output/progress.ts";
import type { Terminal } from "../terminal.ts";

/** A text, the usual one if the answer is empty. */
export async function askText(terminal: Terminal, question: string, usual: string): Promise<string> {
  if (!terminal.isInteractive) return usual;
  const answer = await withoutProgress(terminal, () => terminal.ask(`${question} (${usual}): `));
  return answer === "" ? usual : answer;
}

/** Yes or no. */
export async function askYesNo(terminal: Terminal, question: string, usual: boolean): Promise<boolean> {
  if (!terminal.isInteractive) return usual;
  const answer = await withoutProgress(terminal, () => terminal.ask(`${question} [${usual ? "Y/n" : "y/N"}] `));
  return answer === "" ? usual : /^y(es)?$/i.test(answer);
}
