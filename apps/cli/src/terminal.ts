/** What a command may do with the world around it: say something, ask something, know how wide the window is. */

/** The terminal that a command runs in. */
export interface Terminal {
  readonly cwd: string;
  readonly env: { readonly [name: string]: string | undefined };
  /** Somebody sits there and can answer. */
  readonly isInteractive: boolean;
  /** Somebody sees what is said beside the output, which may go into a file. */
  readonly isWatched: boolean;
  /** Standard output shows colours. */
  readonly color: boolean;
  readonly columns: number;
  /** What the command is for. */
  out(text: string): void;
  /** What is said beside it: notes, progress, problems. */
  err(text: string): void;
  /** One line of an answer. */
  ask(question: string): Promise<string>;
  /** All of standard input. */
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

/** Whoever read along may have seen enough (`| head`): that is no failure, and what would run on stops as if its terminal was closed. */
function onClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
  process.emit("SIGHUP", "SIGHUP");
}

/**
 * Where the user stands. `npm run capstan` in a checkout runs in the checkout's folder and says where it was called from; projects that
 * are made this way use the checkout, because what is in it may not be published.
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
  try {
    return (await lines.question(question)).trim();
  } finally {
    lines.close();
  }
}
