/** Runs the tests of a configuration: stage after stage, those of a parallel stage together. */
import { type LabelSelector, matchesLabels } from "@capstan/model";
import type { ScorecardConfig, ScoredTest, Stage, TestConfig, TestStatus } from "./documents.ts";

/** Runs one test; what it throws becomes the test's failure. */
export type RunTest = (test: TestConfig) => Promise<TestStatus>;

/** What to run. */
export interface ScorecardRun {
  readonly config: ScorecardConfig;
  /** Which tests; absent for all. */
  readonly selector?: LabelSelector;
}

/** The chosen tests, stage by stage. */
export function selectTests({ config, selector }: ScorecardRun): Stage[] {
  return config.stages.map(({ parallel, tests }) => ({
    parallel,
    tests: tests
      .filter(({ labels }) => selector === undefined || matchesLabels(selector, labels))
      .map((test) => withStorage(test, config.storagePath)),
  }));
}

function withStorage(test: TestConfig, storagePath: string | undefined): TestConfig {
  return test.storagePath !== undefined || storagePath === undefined ? test : { ...test, storagePath };
}

/** Runs the chosen tests; the results are in the order of the configuration. */
export async function runScorecard(run: ScorecardRun, runTest: RunTest): Promise<ScoredTest[]> {
  const scored: ScoredTest[] = [];
  for (const { parallel, tests } of selectTests(run)) {
    if (parallel) scored.push(...(await Promise.all(tests.map((test) => score(test, runTest)))));
    else for (const test of tests) scored.push(await score(test, runTest));
  }
  return scored;
}

async function score(config: TestConfig, runTest: RunTest): Promise<ScoredTest> {
  try {
    return { config, status: await runTest(config) };
  } catch (error) {
    return { config, status: failure((error as Error).message) };
  }
}

/** A test that could not be run has failed. */
export function failure(error: string, log = ""): TestStatus {
  return { results: [{ ...(log === "" ? {} : { log }), state: "fail", errors: [error] }] };
}

/** Whether every result of every test is a pass. */
export function hasPassed(tests: readonly ScoredTest[]): boolean {
  return tests.every(({ status }) => status.results.every(({ state }) => state === "pass"));
}
