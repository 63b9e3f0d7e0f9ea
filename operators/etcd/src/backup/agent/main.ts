/** The agent program: reads its job from the environment, runs it, and writes the result as termination message. */
import { writeFile } from "node:fs/promises";
import { systemClock } from "capstan";
import { JOB_VARIABLE, PATHS } from "./job.ts";
import type { Job, JobResult } from "./job.ts";
import { formatResult } from "./result.ts";
import { runJob } from "./run-job.ts";

/** Runs the job of this process. The exit code says whether it succeeded. */
export async function runAgent(): Promise<void> {
  const text = process.env[JOB_VARIABLE];
  const stopping = new AbortController();
  process.once("SIGTERM", () => stopping.abort());
  const surroundings = { clock: systemClock, random: () => Math.random(), signal: stopping.signal };
  const result: JobResult =
    text === undefined
      ? { ok: false, code: "NoJob", message: `there is no job in ${JOB_VARIABLE}` }
      : await runJob(JSON.parse(text) as Job, surroundings);
  const message = formatResult(result);
  process.stdout.write(`${result.ok ? "done" : result.message}\n`);
  await writeFile(PATHS.result, message);
  process.exitCode = result.ok ? 0 : 1;
}
