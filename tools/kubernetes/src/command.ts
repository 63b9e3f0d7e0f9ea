/** Runs a program to its end and returns its output, or fails with the last lines of it. */

import { spawn } from "node:child_process";
import type { SpawnOptions } from "node:child_process";
import { closeSync } from "node:fs";
import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";

import { KubernetesToolError } from "./errors.ts";
import type { KubernetesToolErrorCode } from "./errors.ts";

/** How to run a command; without `code` a failure is reported as not-started. */
export interface CommandOptions extends Pick<SpawnOptions, "cwd" | "env"> {
  /** Ends the program early; its reason is the error. */
  readonly signal?: AbortSignal | undefined;
  /** What the program reads: a text, or an open file, which is closed. */
  readonly input?: string | { readonly file: number };
  readonly code?: KubernetesToolErrorCode;
}

/** What to install when a program is missing; any other program is taken to be part of every Debian. */
const PACKAGES: Readonly<Record<string, string>> = {
  ip: "iproute2",
  nsenter: "util-linux",
  unshare: "util-linux",
  openssl: "openssl",
  nft: "nftables",
  runc: "runc",
};

/** Runs a program and resolves to its standard output. */
export async function run(program: string, args: readonly string[], options: CommandOptions = {}): Promise<string> {
  return (await runForBytes(program, args, options)).toString("utf8");
}

/** Runs a program and resolves to its standard output, as bytes. */
export async function runForBytes(
  program: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<Buffer> {
  const { input, code = "not-started", signal, ...spawnOptions } = options;
  signal?.throwIfAborted();
  const file = typeof input === "object" ? input.file : undefined;
  const child = spawn(program, args, {
    ...spawnOptions,
    stdio: [file ?? "pipe", "pipe", "pipe"],
    ...(signal && { signal }),
  });
  if (file !== undefined) closeSync(file);
  const ended = new Promise<number>((resolve, reject) => {
    child.on("error", (error) => reject(signal?.aborted ? signal.reason : notRunnable(program, error)));
    child.on("close", (status, signal) => resolve(status ?? (signal ? 128 : 1)));
  });
  child.stdin?.on("error", () => {});
  child.stdin?.end(typeof input === "string" ? input : "");
  const [status, output, complaints] = await Promise.all([ended, read(child.stdout), read(child.stderr)]);
  if (status === 0) return output;
  const said = lastLines(complaints.toString("utf8") || output.toString("utf8"), 8);
  throw new KubernetesToolError(code, `${program} ${args.join(" ")} ended with status ${status}: ${said}`);
}

async function read(stream: Readable | null): Promise<Buffer> {
  return stream === null ? Buffer.alloc(0) : buffer(stream);
}

function notRunnable(program: string, cause: Error): KubernetesToolError {
  const name = PACKAGES[program] ?? program;
  return new KubernetesToolError(
    "missing-program",
    `${program} cannot be run (${cause.message}): install it, on Debian and Ubuntu with "apt-get install ${name}"`,
    { cause },
  );
}

/** The last lines of a text, without empty ones. */
export function lastLines(text: string, count: number): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.slice(-count).join("\n");
}
