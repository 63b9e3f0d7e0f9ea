/** An operator as a process: what it has cost so far, and its end. */
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";

const ticksPerSecond = 100;

export interface Cost {
  readonly cpuSeconds: number;
  readonly peakMiB: number;
}

export class MeasuredProcess implements AsyncDisposable {
  readonly #child: ChildProcess;

  constructor(command: readonly string[], environment: Readonly<Record<string, string>>) {
    const [program = "", ...args] = command;
    this.#child = spawn(program, args, {
      env: { ...process.env, ...environment },
      stdio: ["ignore", "ignore", "inherit"],
    });
  }

  /** CPU time of all its threads and the most memory it ever held, as the kernel counts them. */
  cost(): Cost {
    if (this.#child.exitCode !== null)
      throw new RangeError("the operator ended before it was measured; see what it printed above");
    const fields = readFileSync(`/proc/${this.#child.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${this.#child.pid}/status`, "utf8"))?.[1];
    return { cpuSeconds: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond, peakMiB: Number(peak) / 1024 };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGTERM");
    const force = setTimeout(() => this.#child.kill("SIGKILL"), 5000);
    if (this.#child.exitCode === null && this.#child.signalCode === null)
      await new Promise((resolve) => this.#child.once("exit", resolve));
    clearTimeout(force);
  }
}
