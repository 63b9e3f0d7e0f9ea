/** A terminal for tests: records the output and gives prepared answers. */
import { runCli } from "../src/cli.ts";
import type { Terminal } from "../src/terminal.ts";

/** The result of a command line. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command line in this process. */
export async function capstan(
  words: readonly string[],
  { answers = [], typed = "", ...given }: Partial<Terminal> & { answers?: readonly string[]; typed?: string } = {},
): Promise<Ran> {
  let out = "";
  let err = "";
  const left = [...answers];
  const code = await runCli(words, {
    cwd: process.cwd(),
    env: {},
    isInteractive: answers.length > 0,
    isWatched: false,
    color: false,
    columns: 120,
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    ask: async (question) => {
      err += question;
      return left.shift() ?? "";
    },
    input: async () => typed,
    ...given,
  });
  return { code, out, err };
}
