/** Runs test files with Node's own runner, two files at a time, and tells what happened in a few lines. */
import { globSync } from "node:fs";
import { run } from "node:test";
import { inspect } from "node:util";
import { type Outcome, type TestResult, summarize } from "./summary.ts";

/** Unit tests stand beside the code and start nothing; the others may start servers and need what the set-up step installs. */
export type Tier = "unit" | "package" | "story";

const patterns: Readonly<Record<Tier, readonly string[]>> = {
  unit: [
    "packages/*/src/**/*.test.ts",
    "apps/*/src/**/*.test.ts",
    "operators/*/!(test)/**/*.test.ts",
    "tools/*/src/**/*.test.ts",
    "scripts/**/*.test.ts",
  ],
  package: [
    "packages/*/test/**/*.test.ts",
    "apps/*/test/**/*.test.ts",
    "tools/*/test/**/*.test.ts",
    "bench/**/*.test.ts",
  ],
  story: ["operators/*/test/**/*.test.ts", "examples/**/*.test.ts", "test/**/*.test.ts"],
};

export function testFiles(...tiers: Tier[]): string[] {
  return tiers.flatMap((tier) =>
    globSync([...patterns[tier]], { exclude: (name) => String(name).includes("node_modules") }).sort(),
  );
}

export interface RunOptions {
  /** Only failures are printed. */
  readonly quiet?: boolean;
  readonly print?: (line: string) => void;
}

export async function runTests(
  files: readonly string[],
  { quiet = false, print = () => {} }: RunOptions = {},
): Promise<Outcome & { output: string }> {
  const results: TestResult[] = [];
  const lines: string[] = [];
  const say = (line: string): void => {
    lines.push(line);
    print(line);
  };
  const began = performance.now();
  const stream = run({
    files: [...files],
    concurrency: 2,
    execArgv: [
      ...process.execArgv.filter((flag) => flag.startsWith("--conditions") || flag.startsWith("--disable-warning")),
      ...(process.env["CAPSTAN_SEED"] === undefined ? [] : [`--import=${import.meta.resolve("./seed.ts")}`]),
    ],
    timeout: 20 * 60_000,
  });
  stream.on("test:pass", (event) => record(event, true));
  stream.on("test:fail", (event) => record(event, false));
  stream.on("test:stderr", ({ message }) => {
    if (!quiet) say(message.trimEnd());
  });
  // One summary comes for each file, and one without a file for all of them.
  stream.on("test:summary", ({ file, counts, duration_ms, success }) => {
    if (quiet || file === undefined) return;
    say(
      `${success ? "ok  " : "FAIL"}  ${relative(file)} (${counts.tests} tests, ${(duration_ms / 1000).toFixed(1)} s)`,
    );
  });

  function record(
    event: {
      name: string;
      nesting: number;
      file?: string | undefined;
      skip?: string | boolean | undefined;
      todo?: string | boolean | undefined;
      details: { duration_ms: number; type?: string | undefined; error?: Error };
    },
    passed: boolean,
  ): void {
    const file = relative(event.file ?? event.name);
    const skipped = event.skip ?? event.todo ?? false;
    const isFrame = event.details.type === "suite" || (event.nesting === 0 && relative(event.name) === file);
    // A suite or file that holds tests counts by them, unless it failed or was skipped as a whole.
    if (isFrame && passed && skipped === false) return;
    if (!passed && isOnlyOfItsTests(event.details.error)) return;
    results.push({
      name: event.name,
      file,
      passed,
      milliseconds: event.details.duration_ms,
      skipped,
    });
    if (!passed) say(`FAIL  ${file}: ${event.name}\n${describe(event.details.error)}`);
  }

  for await (const _ of stream) {
    // Draining the stream is what runs the tests; the listeners above do the work.
  }
  for (const file of files.filter((one) => !results.some((result) => result.file === relative(one)))) {
    results.push({ name: "runs at least one test", file, passed: false, milliseconds: 0, skipped: false });
    say(`FAIL  ${file}: it ran no test; add one or delete the file`);
  }
  const outcome = summarize(results, (performance.now() - began) / 1000);
  return { ...outcome, output: lines.join("\n") };
}

/** Whether something failed only because tests inside it did, which were counted already. */
function isOnlyOfItsTests(error: (Error & { readonly failureType?: string }) | undefined): boolean {
  return error?.failureType === "subtestsFailed";
}

function relative(path: string): string {
  return path.startsWith(`${process.cwd()}/`) ? path.slice(process.cwd().length + 1) : path;
}

function describe(error: Error | undefined): string {
  const cause = error?.cause ?? error;
  return (cause instanceof Error ? (cause.stack ?? cause.message) : inspect(cause)).replaceAll(/^/gm, "      ");
}
