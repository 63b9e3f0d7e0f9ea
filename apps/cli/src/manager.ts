/** The lifecycle manager as a program of its own: what the image of `capstan lifecycle deploy --build` runs. */
import { parse } from "./command/parse.ts";
import { lifecycleRun } from "./commands/lifecycle-run.ts";
import { CliError, exitCodes, toCliError } from "./errors.ts";
import { processTerminal } from "./terminal.ts";

/** Runs it with the words of a command line, until it is stopped; returns the exit code. */
export async function runManager(words: readonly string[]): Promise<number> {
  const terminal = processTerminal();
  try {
    const { options, args, rest, help } = parse(lifecycleRun, words, "capstan lifecycle run");
    if (help) throw new CliError("Usage", "capstan lifecycle run --help describes the options");
    return (await lifecycleRun.run({ options, args, rest, terminal })) ?? 0;
  } catch (thrown) {
    const error = toCliError(thrown);
    terminal.err(`capstan: ${error.message}\n`);
    return exitCodes[error.code].code;
  }
}
