/** Where and when something was measured: figures without it say little. */
import { execFileSync } from "node:child_process";
import { availableParallelism, loadavg } from "node:os";

export interface Circumstances {
  readonly at: string;
  readonly commit: string;
  readonly cores: number;
  /** Processes that wanted to run, as the machine tells it. */
  readonly load: number;
}

/** What was checked out when it was first asked for: a run is of one commit, whatever happens to the checkout meanwhile. */
let commit: string | undefined;

export function circumstances(): Circumstances {
  commit ??= execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  const [load = 0] = loadavg();
  return { at: new Date().toISOString(), commit, cores: availableParallelism(), load: Math.round(load) };
}
