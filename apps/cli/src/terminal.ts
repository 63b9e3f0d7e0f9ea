/** The environment of a command: output, input, and the width of the window. */
import { CliError } from "./errors.ts";

/** The terminal that a command runs in. */
export interface Terminal {
  readonly cwd: string;
  readonly env: { readonly [name: string]: string | undefined };
  /** A user can answer questions. */
  readonly isInteractive: boolean;
  /** Standard error is a terminal; standard output may go into a file. */
  readonly isWatched: boolean;
  /** Standard output shows colours. */
  readonly color: boolean;
  readonly columns: number;
  /** Writes the result to standard output. */
  out(text: string): void;
  /** Writes notes, progress and errors to standard error. */
  err(text: string): void;
  /** Asks a question; returns one line. */
  ask(question: string): Promise<string>;
  /** Reads all of standard input. */
  input(): Promise<string>;
}

/** The terminal of this process. */
export function processTerminal(): Terminal {
  const { stdin, stdout, stderr } = process;
  const { cwd, env } = placeOf(process.env, process.cwd());
  stdout.on("error", onClosed);
  stderr.on("error", onClosed);
  return {
    cwd,
    env,
    isInteractive: stdin.isTTY && stdout.isTTY && (env["CI"] ?? "") === "",
    isWatched: stderr.isTTY && (env["CI"] ?? "") === "",
    color: wantsColor(env, stdout.isTTY),
    get columns() {
      return stdout.columns ?? 80;
    },
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    ask,
    input: async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Uint8Array));
      return Buffer.concat(chunks).toString("utf8");
    },
  };
}

/** A reader may close the pipe early (`| head`). That is not a failure; long-running commands stop as if their terminal was closed. */
function onClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
  process.emit("SIGHUP", "SIGHUP");
}

/**
 * The user's folder. `npm run capstan` in a checkout runs in the folder of the checkout and passes the user's folder in the environment.
 * Projects that are created this way use the checkout, because its packages may not be published.
 */
export function placeOf(env: Terminal["env"], cwd: string): Pick<Terminal, "cwd" | "env"> {
  if (env["npm_package_name"] !== "capstan-workspace" || env["npm_lifecycle_event"] !== "capstan") return { cwd, env };
  return { cwd: env["INIT_CWD"] ?? cwd, env: { CAPSTAN_CHECKOUT: cwd, ...env } };
}

/** NO_COLOR counts when it is not empty (no-color.org); FORCE_COLOR shows colours where there is no terminal. */
export function wantsColor(env: Terminal["env"], isTerminal: boolean): boolean {
  if ((env["NO_COLOR"] ?? "") !== "") return false;
  if ((env["FORCE_COLOR"] ?? "") !== "") return true;
  return isTerminal && env["TERM"] !== "dumb";
}

async function ask(question: string): Promise<string> {
  const { createInterface } = await import("node:readline/promises");
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  // Ctrl-C and Ctrl-D close the interface without an answer; the cursor is still behind the question.
  const interrupted = new Promise<never>((_resolve, reject) => {
    lines.once("close", () => {
      process.stderr.write("\n");
      reject(new CliError("Interrupted", "interrupted at a question; nothing was changed"));
    });
  });
  try {
    const answer = await Promise.race([lines.question(question).catch(() => interrupted), interrupted]);
    lines.removeAllListeners("close");
    return answer.trim();
  } finally {
    lines.close();
  }
}
