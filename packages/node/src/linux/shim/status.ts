/** The status that bubblewrap reports: the process it has started, and whether the program was executed. */
import type { Readable } from "node:stream";

/** The status of a launcher. */
export interface LauncherStatus {
  /** The first process of the container; `undefined` if it could not be created. */
  readonly pid: Promise<number | undefined>;
  /** Whether the setup for the program was complete; known at the end. */
  readonly hasStarted: Promise<boolean>;
}

/** Reads lines of JSON. All of them must be read: a pipe that is closed early would kill the launcher. */
export function readStatus(report: Readable): LauncherStatus {
  const pid = Promise.withResolvers<number | undefined>();
  const hasStarted = Promise.withResolvers<boolean>();
  let text = "";
  report.on("data", (chunk: Buffer) => {
    text += chunk.toString("utf8");
    const number = /"child-pid":\s*(\d+)\D/.exec(text)?.[1];
    if (number !== undefined) pid.resolve(Number(number));
  });
  report.once("close", () => {
    pid.resolve(undefined);
    // An exit code is reported only for a program that was started.
    hasStarted.resolve(/"exit-code":/.test(text));
  });
  return { pid: pid.promise, hasStarted: hasStarted.promise };
}
