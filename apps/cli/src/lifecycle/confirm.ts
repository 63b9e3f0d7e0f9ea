/** Asks before something is changed; a script has to say yes in advance. */
import { CliError } from "../errors.ts";
import type { Terminal } from "../terminal.ts";

/** Whether the answer is yes. */
export async function confirm(terminal: Pick<Terminal, "isInteractive" | "ask">, question: string): Promise<boolean> {
  if (!terminal.isInteractive)
    throw new CliError("Usage", "there is no terminal to answer the question: add --yes to continue without it");
  return /^y(?:es)?$/iu.test((await terminal.ask(`${question} [y/N] `)).trim());
}
