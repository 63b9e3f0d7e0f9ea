/** Runs test files in parallel, as many as the cores can carry, and prints the outcome in a few lines. */
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { isAlone, toGroups } from "./files.ts";
import { runProcess, type ProcessRun } from "./process.ts";
import { type Job, nextJob } from "./schedule.ts";
import { type Outcome, type TestResult, summarize } from "./summary.ts";
import { estimateOf, type FileTime, groupName, type Times } from "./times.ts";

export interface RunOptions {
  /** Only failures are printed. */
  readonly quiet?: boolean;
  readonly print?: (line: string) => void;
  /** Earlier durations of files. */
  readonly times?: Times;
  /** What a file needs before it can start. */
  readonly needsOf?: (file: string) => readonly string[];
  /** The preparation of each need; a need without one is ready. */
  readonly preparations?: ReadonlyMap<string, Promise<unknown>>;
  /** The files that still run or wait after this many milliseconds are ended without a result; undefined: each file ends by itself. */
  readonly limitMs?: number | undefined;
  /** Groups with failures run once more, one at a time; more than a few failures are not repeated. */
  readonly secondAttempt?: boolean;
}

/** More failed groups than these are a mistake in the code, not a busy machine. */
const mostSecondAttempts = 6;

export interface TestRun extends Outcome {
  readonly output: string;
  /** The time of each group of files. */
  readonly times: Times;
  /** The files that were ended at the limit. */
  readonly unfinished: readonly string[];
}

interface Group extends Job {
  readonly files: readonly string[];
}

export async function runTests(files: readonly string[], options: RunOptions = {}): Promise<TestRun> {
  const { quiet = false, print = () => {}, preparations = new Map<string, Promise<unknown>>() } = options;
  const lines: string[] = [];
  const say = (line: string): void => {
    lines.push(line);
    print(line);
  };
  const began = performance.now();
  const results = new Map<Group, readonly TestResult[]>();
  const times = new Map<string, FileTime>();
  const finished = new Set<string>();
  using stop = stopOnSignal();
  using limit = stopAfter(options.limitMs);
  const signal = AbortSignal.any([stop.signal, limit.signal]);
  const run = async (group: Group): Promise<void> => {
    const onError = (text: string): void => (quiet ? undefined : say(text.trimEnd()));
    const done = await runProcess(group.files, { onError, signal });
    if (limit.signal.aborted) return;
    for (const file of group.files) finished.add(file);
    const own = resultsOf(group.files, done);
    results.set(group, own);
    if (done.cpuSeconds !== undefined)
      times.set(groupName(group.files), { seconds: done.seconds, cpuSeconds: done.cpuSeconds });
    for (const line of linesOf(group.files, own, done)) if (!quiet || line.startsWith("FAIL")) say(line);
  };
  const groups = toGroups(files).map((group) => toJob(group, options));
  await runGroups(groups, { preparations, limit: limit.signal, run });
  const failed = groups.filter((group) => hasFailure(results.get(group)));
  if (options.secondAttempt && failed.length <= mostSecondAttempts)
    for (const group of failed) {
      say(`again ${groupName(group.files)}, with nothing beside it`);
      await run(group);
    }
  const unstable = failed.filter((group) => !hasFailure(results.get(group))).map(({ files: own }) => groupName(own));
  const outcome = summarize([...results.values()].flat(), (performance.now() - began) / 1000, unstable);
  const unfinished = files.filter((file) => !finished.has(file));
  return { ...outcome, output: lines.join("\n"), times: Object.fromEntries(times), unfinished };
}

function hasFailure(results: readonly TestResult[] = []): boolean {
  return results.some(({ passed, skipped }) => !passed && skipped === false);
}

function toJob(files: readonly string[], { times = {}, needsOf = () => [] }: RunOptions): Group {
  const needs = [...new Set(files.flatMap(needsOf))];
  const alone = files.length === 1 && files.some((file) => isAlone(readFileSync(file, "utf8")));
  return { files, needs, alone, ...estimateOf(files, times) };
}

interface Groups {
  readonly preparations: ReadonlyMap<string, Promise<unknown>>;
  readonly run: (group: Group) => Promise<void>;
  /** Aborts when the run has to end. */
  readonly limit: AbortSignal;
}

async function runGroups(groups: readonly Group[], { preparations, run, limit }: Groups): Promise<void> {
  const cores = availableParallelism();
  const ready = new Set(groups.flatMap(({ needs }) => needs).filter((need) => !preparations.has(need)));
  const arrivals = new Map([...preparations].map(([need, done]) => [need, done.then(() => ready.add(need))] as const));
  const waiting = new Set(groups);
  const running = new Map<Group, Promise<unknown>>();
  const late = new Promise<void>((resolve) => limit.addEventListener("abort", () => resolve()));
  while (waiting.size > 0 || running.size > 0) {
    if (limit.aborted) {
      await Promise.all(running.values());
      return;
    }
    // A running build takes cores, too.
    const free = arrivals.size > 0 ? Math.max(1, cores - 1) : cores;
    const capacity = { cores: free, most: 3 * cores };
    const next = nextJob([...waiting], [...running.keys()], { capacity, ready });
    if (next !== undefined) {
      waiting.delete(next);
      running.set(
        next,
        run(next).finally(() => running.delete(next)),
      );
      continue;
    }
    const changes = [...running.values(), ...arrivals.values()];
    if (changes.length === 0) throw new Error("no test file can start: what it needs is never prepared");
    await Promise.race([...changes, late]);
    for (const need of ready) arrivals.delete(need);
  }
}

/** The results of a group; a file without any is a failure, and so is a process with an abnormal end. */
function resultsOf(
  files: readonly string[],
  { results, accident }: ProcessRun,
): readonly (TestResult & { readonly error?: string })[] {
  const failure = (file: string, name: string, error: string): TestResult & { error: string } => {
    return { name, file, passed: false, milliseconds: 0, skipped: false, error: `      ${error}` };
  };
  const silent = files.filter((file) => !results.some((result) => result.file === file));
  return [
    ...results,
    ...(accident === undefined ? [] : [failure(groupName(files), "the process of the tests ends by itself", accident)]),
    ...silent.map((file) =>
      failure(file, "runs at least one test", accident ?? "it ran no test; add one or delete the file"),
    ),
  ];
}

function linesOf(
  files: readonly string[],
  results: readonly (TestResult & { readonly error?: string })[],
  { seconds, cpuSeconds = 0 }: ProcessRun,
): string[] {
  const failures = results.filter(({ passed, skipped }) => !passed && skipped === false);
  const verdict = failures.length === 0 ? "ok  " : "FAIL";
  const took = `${seconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of CPU`;
  return [
    ...failures.map(({ file, name, error }) => `FAIL  ${file}: ${name}\n${error ?? ""}`),
    `${verdict}  ${groupName(files)} (${results.length} tests, ${took})`,
  ];
}

function stopAfter(milliseconds: number | undefined): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const timer = milliseconds === undefined ? undefined : setTimeout(() => controller.abort(), milliseconds);
  return { signal: controller.signal, [Symbol.dispose]: () => clearTimeout(timer) };
}

/** An interrupted run ends the processes that it started: they are in separate process groups and do not get the signal. */
function stopOnSignal(): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const stop = (name: NodeJS.Signals): void => {
    controller.abort();
    process.exitCode = 1;
    setImmediate(() => process.kill(process.pid, name));
  };
  process.once("SIGINT", stop).once("SIGTERM", stop);
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => void process.off("SIGINT", stop).off("SIGTERM", stop),
  };
}
