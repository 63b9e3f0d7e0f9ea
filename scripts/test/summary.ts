/** Turns the results of a test run into its closing lines: what was skipped and why, what was slow, how many passed. */
export interface TestResult {
  readonly name: string;
  readonly file: string;
  readonly passed: boolean;
  readonly milliseconds: number;
  readonly skipped: string | boolean;
}

export interface Outcome {
  readonly ok: boolean;
  readonly passed: number;
  readonly failed: number;
  /** Files in which a test failed or was skipped, so that they prove less than they could. */
  readonly failedFiles: readonly string[];
  readonly skipped: readonly TestResult[];
  readonly slowest: readonly TestResult[];
  readonly seconds: number;
  /** The groups of files that failed beside others and passed alone. */
  readonly unstable: readonly string[];
}

export function summarize(results: readonly TestResult[], seconds: number, unstable: readonly string[] = []): Outcome {
  const skipped = results.filter((result) => result.skipped !== false);
  const ran = results.filter((result) => result.skipped === false);
  const failed = ran.filter((result) => !result.passed).length;
  const failedFiles = [
    ...new Set(results.filter((one) => !one.passed || one.skipped !== false).map(({ file }) => file)),
  ];
  const slowest = ran.toSorted((a, b) => b.milliseconds - a.milliseconds).slice(0, 15);
  return {
    ok: failed === 0 && ran.length > 0,
    passed: ran.length - failed,
    failed,
    failedFiles,
    skipped,
    slowest,
    seconds,
    unstable,
  };
}

/**
 * Under CI a skip is a failure: a missing part would never be noticed. Only data that we may not put into the repository can be missing
 * anywhere; tests that are skipped for lack of it use these words.
 */
export function mayBeSkipped({ skipped }: TestResult): boolean {
  return typeof skipped === "string" && skipped.includes("which is not ours to ship");
}

/** The closing lines. */
export function closingLines(outcome: Outcome, { ci }: { readonly ci: boolean }): string[] {
  const slow = outcome.slowest.map(
    (test) => `  ${(test.milliseconds / 1000).toFixed(1).padStart(7)} s  ${test.file}: ${test.name}`,
  );
  const line = (test: TestResult): string =>
    `  ${test.file}: ${test.name} (${typeof test.skipped === "string" ? test.skipped : "no reason given"})`;
  const allowed = outcome.skipped.filter((test) => !ci || mayBeSkipped(test)).map(line);
  const forbidden = outcome.skipped.filter((test) => ci && !mayBeSkipped(test)).map(line);
  return [
    ...(slow.length > 0 ? ["", "slowest tests", ...slow] : []),
    ...(allowed.length > 0 ? ["", "skipped, and why", ...allowed] : []),
    ...(forbidden.length > 0 ? ["", "skipped, which CI does not allow", ...forbidden] : []),
    ...(outcome.unstable.length > 0
      ? [
          "",
          "failed once and passed at the second attempt: a defect to find",
          ...outcome.unstable.map((name) => `  ${name}`),
        ]
      : []),
    "",
    `${outcome.seconds.toFixed(0)} s`,
    `${outcome.passed} passed, ${outcome.failed} failed, ${outcome.skipped.length} skipped`,
  ];
}
