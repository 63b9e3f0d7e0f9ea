/** What the client needs from the machine it runs on: handed in, so that a test or a simulation can be the machine. */
import type { Clock } from "./clock.ts";

/** A program to run (an exec credential plugin). */
export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether the program may talk to the person at the terminal. */
  readonly interactive: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** What a program left behind. */
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
  /** Whether a person can be asked at a terminal. */
  readonly hasTerminal: boolean;
  readonly clock: Clock;
  /** A number from 0 up to, not including, 1. */
  random(): number;
  /** Rejects with an error whose `code` is `ENOENT` where there is no such file. */
  readFile(path: string): Promise<string>;
  /**
   * Replaces the text of a file as a whole, while nobody else does; `change` answers undefined where nothing is to be
   * written. A machine without it keeps no tokens.
   */
  rewriteFile?(path: string, change: (text: string) => Promise<string | undefined>): Promise<void>;
  /** Tells a person what went wrong without stopping anything. */
  warn?(text: string): void;
  run(command: Command): Promise<CommandResult>;
}
