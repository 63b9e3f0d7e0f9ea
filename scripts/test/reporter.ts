/**
 * Runs inside a test process, as its reporter: appends each result as a line of JSON to the file that `CAPSTAN_TEST_REPORT` names, and the
 * CPU time of the process and of the children it waited for when it ends. The lines are written at once, so that a crash loses none.
 */
import { appendFileSync, readFileSync } from "node:fs";
import type { TestEvent } from "node:test/reporters";
import { inspect } from "node:util";
import type { ReportLine } from "./report.ts";

const { CAPSTAN_TEST_REPORT: path = "/dev/null" } = process.env;
// A program that a test starts may be a test runner, too: its report goes elsewhere.
delete process.env["CAPSTAN_TEST_REPORT"];

process.on("exit", () => write({ cpuSeconds: cpuSeconds() }));
// node:test prints such an error as a remark, as it does not know the test that it belongs to.
process.on("uncaughtExceptionMonitor", (error) => write({ uncaught: describe(error) }));
process.on("unhandledRejection", (reason) => write({ uncaught: describe(reason) }));

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type !== "test:pass" && type !== "test:fail") continue;
    const error = "error" in data.details ? data.details.error : undefined;
    write({
      name: data.name,
      file: data.file,
      nesting: data.nesting,
      passed: type === "test:pass",
      skipped: data.skip ?? data.todo ?? false,
      milliseconds: data.details.duration_ms,
      isSuite: data.details.type === "suite",
      isOnlyOfItsTests: error !== undefined && "failureType" in error && error.failureType === "subtestsFailed",
      error: error === undefined ? undefined : describe(error),
    });
  }
  yield "";
}

function write(line: ReportLine): void {
  appendFileSync(path, `${JSON.stringify(line)}\n`);
}

function describe(error: unknown): string {
  const cause = (error instanceof Error ? error.cause : undefined) ?? error;
  return (cause instanceof Error ? (cause.stack ?? cause.message) : inspect(cause)).replaceAll(/^/gm, "      ");
}

/** User and system time, including finished children where the kernel reports it: fields 14 to 17 of proc_pid_stat(5), in hundredths. */
function cpuSeconds(): number {
  try {
    const fields = readFileSync("/proc/self/stat", "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) / 100, 0);
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
}
