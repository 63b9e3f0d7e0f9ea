/**
 * Commands that no kernel executes, whatever is in the container: too long, or with an end of text within. Container runtimes find the program,
 * tell that the container has started, and only then fail. Pure.
 */

/** The kernel takes no word of this many bytes, the zero at its end included. */
const tooLong = 2 ** 17;

/** What container runtimes say of it. */
export type ExecFailure =
  | "argument list too long"
  | "invalid argument"
  | "exec format error"
  | "no such file or directory";

/** Why a command cannot be executed, if that can be seen. */
export function unexecutable(argv: readonly string[]): ExecFailure | undefined {
  if (argv.some((word) => word.includes("\0"))) return "invalid argument";
  return argv.some((word) => Buffer.byteLength(word) >= tooLong) ? "argument list too long" : undefined;
}

/** The same in the words of what sets the variables, which are too long with them. */
export function unexecuted(refused: string | undefined): ExecFailure | undefined {
  return refused?.endsWith(": Argument list too long") === true ? "argument list too long" : undefined;
}

/** What else has an end of text within and cannot even be begun with: a variable, or the folder to begin in. */
export function unacceptable(env: ReadonlyMap<string, string>, directory: string): string | undefined {
  for (const [name, value] of env)
    if (`${name}${value}`.includes("\0"))
      return `environment variable value can't contain null(\\x00): ${goQuoted(`${name}=${value}`)}`;
  return directory.includes("\0") ? `mkdir ${directory}: invalid argument` : undefined;
}

/** Words in quotation marks, as those runtimes write them. */
export function goQuoted(words: string): string {
  return JSON.stringify(words).replaceAll("\\u0000", "\\x00");
}
