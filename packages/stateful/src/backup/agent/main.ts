/** The agent: the operator's program in a backup pod. It reads its job from the environment and writes the result as termination message. */
import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { systemClock } from "@capstan/runtime";
import type { Application } from "../../application.ts";
import { AGENT_ARGUMENT } from "../parts.ts";
import { JOB_VARIABLE, PATHS } from "./job.ts";
import type { Manifest } from "../manifest.ts";
import type { AgentResult, Job } from "./job.ts";
import type { AgentSurroundings } from "./open-store.ts";
import { formatResult } from "./result.ts";
import { runJob } from "./run-job.ts";

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
  const { name, backups, versions, topology } = application;
  // Of the adapter only pure functions are used here.
  const pure = { name, backups, versions, topology } as unknown as Application<AsyncDisposable, P>;
  return await runJobOfPod<Job, Manifest>({
    variable: JOB_VARIABLE,
    run: async (job, surroundings) => await runJob(job, { application: pure, randomBytes, ...surroundings }),
  });
}

/**
 * How the job of a pod is run.
 *
 * @example
 * const nothing: AgentProgram<object, object> = { variable: "STORE_JOB", run: async () => ({ ok: true }) };
 */
export interface AgentProgram<J, M> {
  /** The environment variable with the job. */
  readonly variable: string;
  readonly run: (job: J, surroundings: Omit<AgentSurroundings, "paths">) => Promise<AgentResult<M>>;
}

/**
 * Runs the job of a backup pod, if the program was started in one: the exit code says whether it succeeded.
 *
 * @example
 * const isAgent = await runJobOfPod({
 *   variable: "STORE_JOB",
 *   run: async () => ({ ok: false, code: "Unsupported", message: "there are no jobs" }),
 * });
 */
export async function runJobOfPod<J, M extends object>({ variable, run }: AgentProgram<J, M>): Promise<boolean> {
  if (process.argv[2] !== AGENT_ARGUMENT) return false;
  const text = process.env[variable];
  const stopping = new AbortController();
  process.once("SIGTERM", () => stopping.abort());
  const surroundings = { clock: systemClock, random: () => Math.random(), signal: stopping.signal };
  const result: AgentResult<M> =
    text === undefined
      ? { ok: false, code: "NoJob", message: `there is no job in ${variable}` }
      : await run(JSON.parse(text) as J, surroundings);
  process.stdout.write(`${result.ok ? "done" : result.message}\n`);
  await writeFile(PATHS.result, formatResult(result));
  process.exitCode = result.ok ? 0 : 1;
  return true;
}
