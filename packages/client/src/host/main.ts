/** The process's environment, files, clock and randomness, as defaults. */
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { systemClock } from "./clock.ts";
import type { Command, CommandResult, Host } from "./host.ts";

/**
 * The machine that this process runs on.
 *
 * @example
 * const config = await loadConfig(processHost());
 */
export function processHost(): Host {
  return {
    env: process.env,
    homeDirectory: homedir(),
    get hasTerminal() {
      return process.stdin.isTTY;
    },
    clock: systemClock,
    random: Math.random,
    readFile: (path) => readFile(path, "utf8"),
    async rewriteFile(path, change) {
      const { rewriteFile } = await import("./rewrite-file.ts");
      await rewriteFile(systemClock, path, change);
    },
    warn: (text) => process.emitWarning(text, "CapstanWarning"),
    run,
  };
}

async function run({ command, args, env, interactive, signal }: Command): Promise<CommandResult> {
  // Loaded on demand: few programs use a plugin.
  const { spawn } = await import("node:child_process");
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      env: { ...env },
      stdio: [interactive ? "inherit" : "ignore", "pipe", "pipe"],
      // A hanging plugin may ignore other signals.
      ...(signal === undefined ? {} : { signal, killSignal: "SIGKILL" }),
    });
    const output: Buffer[] = [];
    const errors: Buffer[] = [];
    child.stdout?.on("data", (chunk: Buffer) => output.push(chunk));
    child.stderr?.on("data", (chunk: Buffer) => {
      errors.push(chunk);
      if (interactive) process.stderr.write(chunk);
    });
    child.on("error", (error) => {
      // Child processes of the plugin may keep the pipes open.
      child.stdout?.destroy();
      child.stderr?.destroy();
      reject(error);
    });
    child.on("close", (code) =>
      resolve({ code: code ?? -1, stdout: String(Buffer.concat(output)), stderr: String(Buffer.concat(errors)) }),
    );
  });
}
