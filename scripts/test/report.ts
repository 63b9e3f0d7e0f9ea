/** The lines that a test process writes about its tests, and how they become results. */
import type { TestResult } from "./summary.ts";

/** One test, an error that no test awaits, or the CPU time of the process. */
export type ReportLine = TestLine | { readonly uncaught: string } | { readonly cpuSeconds: number };

interface TestLine {
  readonly name: string;
  readonly file: string | undefined;
  readonly nesting: number;
  readonly passed: boolean;
  readonly skipped: string | boolean;
  readonly milliseconds: number;
  readonly isSuite: boolean;
  readonly isOnlyOfItsTests: boolean;
  readonly error: string | undefined;
}

export interface Report {
  readonly results: readonly (TestResult & { readonly error?: string })[];
  /** Undefined when the process was killed. */
  readonly cpuSeconds: number | undefined;
}

/** A process with one file owns all results; with several files the location of a test decides. */
export function toReport(text: string, files: readonly string[], root: string): Report {
  const lines = text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as ReportLine);
  const tests = lines.filter((line) => "name" in line);
  const usage = lines.find((line) => "cpuSeconds" in line);
  const relative = (path: string): string => (path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path);
  const only = files.length === 1 ? files[0] : undefined;
  const results = tests.filter(counts).map(({ name, file, passed, skipped, milliseconds, error }) => ({
    name: relative(name),
    file: only ?? relative(file ?? name),
    passed,
    skipped,
    milliseconds,
    ...(error !== undefined && { error }),
  }));
  const uncaught = lines
    .flatMap((line) => ("uncaught" in line ? [line.uncaught] : []))
    .map((error) => ({
      name: "an error that no test awaits",
      file: only ?? files.join(", "),
      passed: false,
      skipped: false,
      milliseconds: 0,
      error,
    }));
  return {
    results: [...results, ...uncaught],
    cpuSeconds: usage?.cpuSeconds,
  };
}

/** A suite counts by the tests in it, unless it failed or was skipped as a whole; tests that failed inside it were counted already. */
function counts({ isSuite, passed, skipped, isOnlyOfItsTests }: TestLine): boolean {
  return passed ? !isSuite || skipped !== false : !isOnlyOfItsTests;
}
