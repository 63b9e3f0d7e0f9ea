/** What bubblewrap tells of itself: the process it has started, and whether that came to its program. */
import type { Readable } from "node:stream";

/** What is told while a container comes and goes. */
export interface LauncherStatus {
  /** The first process of the container; of one that could not be made there is none. */
  readonly pid: Promise<number | undefined>;
  /** Whether everything was in its place for the program; known at the end. */
  readonly hasStarted: Promise<boolean>;
}

/** Reads lines of JSON. All of them must be read: a pipe that is closed early would kill the teller. */
export function readStatus(told: Readable): LauncherStatus {
  const pid = Promise.withResolvers<number | undefined>();
  const hasStarted = Promise.withResolvers<boolean>();
  let text = "";
  told.on("data", (chunk: Buffer) => {
    text += chunk.toString("utf8");
    const number = /"child-pid":\s*(\d+)\D/.exec(text)?.[1];
    if (number !== undefined) pid.resolve(Number(number));
  });
  told.once("close", () => {
    pid.resolve(undefined);
    // Only of a program that was begun it tells how that ended.
    hasStarted.resolve(/"exit-code":/.test(text));
  });
  return { pid: pid.promise, hasStarted: hasStarted.promise };
}
