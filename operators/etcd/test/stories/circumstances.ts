/** The place and the time of a measurement, without which figures mean little. */
import { execFileSync } from "node:child_process";
import { availableParallelism, loadavg } from "node:os";

export interface Circumstances {
  readonly at: string;
  readonly commit: string;
  readonly cores: number;
  /** Runnable processes, as the machine reports them. */
  readonly load: number;
}

/** The commit at the first call: a run belongs to one commit, whatever happens to the checkout meanwhile. */
let commit: string | undefined;

export function circumstances(): Circumstances {
  commit ??= execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  const [load = 0] = loadavg();
  return { at: new Date().toISOString(), commit, cores: availableParallelism(), load: Math.round(load) };
}
