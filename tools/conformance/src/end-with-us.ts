/** Ends child processes with this one, also when it is killed: a cluster is many processes, and tests run for an hour. */
import type { ChildProcess } from "node:child_process";

/** Ends a program when this one ends, unless it has ended by itself. */
export function endWithUs(child: ChildProcess): void {
  const end = (): void => void child.kill("SIGTERM");
  process.once("exit", end);
  child.once("exit", () => process.off("exit", end));
}

/** Without it, a signal would end this program before it could end others. */
export function endOnSignals(): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
}
