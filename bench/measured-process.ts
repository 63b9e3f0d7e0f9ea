/** A program as a process, with its cost so far, and its end. */
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";

const ticksPerSecond = 100;

/** Counters of the kernel for a process. */
export interface Cost {
  readonly cpuSeconds: number;
  readonly peakMiB: number;
  readonly residentMiB: number;
}

/** The cost of a process so far, all its threads included. */
export function costOf(pid: number): Cost {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const mebibytes = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024;
  return {
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond,
    peakMiB: mebibytes("VmHWM"),
    residentMiB: mebibytes("VmRSS"),
  };
}

/** A program under measurement. */
export class MeasuredProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  #said = "";

  constructor(command: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    const [program = "", ...args] = command;
    this.#child = spawn(program, args, {
      env: { ...process.env, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child.stdout?.on("data", (chunk: Buffer) => (this.#said += String(chunk)));
    this.#child.stderr?.on("data", (chunk: Buffer) => (this.#said = (this.#said + String(chunk)).slice(-4000)));
  }

  cost(): Cost {
    const { exitCode, pid } = this.#child;
    if (exitCode !== null || pid === undefined) {
      throw new RangeError(`the program ended before it was measured; it said: ${this.#said}`);
    }
    return costOf(pid);
  }

  /** Resolves when the output matches. */
  async says(pattern: RegExp): Promise<string> {
    while (!pattern.test(this.#said)) {
      if (this.#child.exitCode !== null) throw new RangeError(`the program ended; it said: ${this.#said}`);
      await new Promise((resolve) => this.#child.stdout?.once("data", resolve));
    }
    return this.#said;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGTERM");
    const force = setTimeout(() => this.#child.kill("SIGKILL"), 5000);
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      await new Promise((resolve) => this.#child.once("exit", resolve));
    }
    clearTimeout(force);
  }
}
