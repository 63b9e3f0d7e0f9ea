/** What the client needs from its machine; injectable for tests and simulations. */
import type { Clock } from "./clock.ts";

/** A program to run (an exec credential plugin). */
export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether the program may use the terminal. */
  readonly interactive: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** The result of a program. */
export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * The machine around the client.
 *
 * @example
 * const host: Host = { ...processHost(), env: { KUBECONFIG: "/tmp/kubeconfig" } };
 * const config = await loadConfig(host);
 */
export interface Host {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly homeDirectory: string;
  /** Whether an interactive terminal is available. */
  readonly hasTerminal: boolean;
  readonly clock: Clock;
  /** In [0, 1). */
  random(): number;
  /** Rejects with code `ENOENT` if the file does not exist. */
  readFile(path: string): Promise<string>;
  /** Replaces a file's text under a lock; `change` returns undefined to leave it. Without this method, tokens are not stored. */
  rewriteFile?(path: string, change: (text: string) => Promise<string | undefined>): Promise<void>;
  /** Reports a problem to the user without failing. */
  warn?(text: string): void;
  run(command: Command): Promise<CommandResult>;
}
