/** The agent: the operator's program in a backup pod. It reads its job from the environment and writes the result as termination message. */
import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { systemClock } from "@capstan/runtime";
import type { Application } from "../../application.ts";
import { JOB_VARIABLE, PATHS } from "./job.ts";
import type { Job, JobResult } from "./job.ts";
import { formatResult } from "./result.ts";
import { runJob } from "./run-job.ts";

/** The argument that starts the operator's program as agent. */
export const AGENT_ARGUMENT = "backup-agent";

/**
 * Runs the job of a backup pod, if the program was started in one. The operator's program calls it first, because backup pods run the
 * operator's image.
 *
 * @example
 * const start = async <C extends AsyncDisposable, P>(store: Application<C, P>, runOperator: () => Promise<void>) => {
 *   if (!(await runAsAgent(store))) await runOperator();
 * };
 */
export async function runAsAgent<C extends AsyncDisposable, P>(application: Application<C, P>): Promise<boolean> {
  if (process.argv[2] !== AGENT_ARGUMENT) return false;
  const text = process.env[JOB_VARIABLE];
  const stopping = new AbortController();
  process.once("SIGTERM", () => stopping.abort());
  const { name, backups, versions, topology } = application;
  const surroundings = {
    // Of the adapter only pure functions are used here.
    application: { name, backups, versions, topology } as unknown as Application<AsyncDisposable, P>,
    clock: systemClock,
    random: () => Math.random(),
    randomBytes,
    signal: stopping.signal,
  };
  const result: JobResult =
    text === undefined
      ? { ok: false, code: "NoJob", message: `there is no job in ${JOB_VARIABLE}` }
      : await runJob(JSON.parse(text) as Job, surroundings);
  process.stdout.write(`${result.ok ? "done" : result.message}\n`);
  await writeFile(PATHS.result, formatResult(result));
  process.exitCode = result.ok ? 0 : 1;
  return true;
}
