/**
 * Commands that no kernel executes, whatever the container holds: too long, or with a null byte. Container runtimes find the program,
 * report that the container has started, and only then fail. Pure.
 */

/** The kernel rejects an argument of this many bytes, including its terminating zero. */
const tooLong = 2 ** 17;

/** The error messages of container runtimes. */
export type ExecFailure =
  | "argument list too long"
  | "invalid argument"
  | "exec format error"
  | "no such file or directory";

/** Why a command cannot be executed, if that is visible in it. */
export function execFailureOf(argv: readonly string[]): ExecFailure | undefined {
  if (argv.some((word) => word.includes("\0"))) return "invalid argument";
  return argv.some((word) => Buffer.byteLength(word) >= tooLong) ? "argument list too long" : undefined;
}

/** The same from the message of the program that sets the variables, where arguments and variables together are too long. */
export function unexecuted(refused: string | undefined): ExecFailure | undefined {
  return refused?.endsWith(": Argument list too long") === true ? "argument list too long" : undefined;
}

/** A variable or working directory with a null byte, which prevents even the setup of the container. */
export function unacceptable(env: ReadonlyMap<string, string>, directory: string): string | undefined {
  for (const [name, value] of env)
    if (`${name}${value}`.includes("\0"))
      return `environment variable value can't contain null(\\x00): ${goQuoted(`${name}=${value}`)}`;
  return directory.includes("\0") ? `mkdir ${directory}: invalid argument` : undefined;
}

/** Quoted as in Go, which those runtimes use. */
export function goQuoted(words: string): string {
  return JSON.stringify(words).replaceAll("\\u0000", "\\x00");
}
