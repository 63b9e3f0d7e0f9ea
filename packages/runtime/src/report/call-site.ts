/** Finds the user's own lines in stacks: where a user function failed, or made the call that failed. */

/** The folder of the framework's packages: frames in it are not the user's. */
const packagesFolder = new URL("../../../", import.meta.url).href;

/** The number of frames between a call and the user's function. */
const FRAMES = 5;

/** The place of a call. The string is created only when it is read. */
export interface CallSite {
  readonly stack?: string;
}

/** Captures the caller. It costs some microseconds, so only reconciles that are inspected use it. */
export function captureCallSite(frames: number = FRAMES): CallSite {
  const site: CallSite = {};
  const usual = Error.stackTraceLimit;
  Error.stackTraceLimit = Math.min(frames, usual);
  Error.captureStackTrace(site, captureCallSite);
  Error.stackTraceLimit = usual;
  return site;
}

/** Adds the user's lines to the stack of an error that was created in a stack without them. */
export function addCallSite(error: unknown, site: CallSite | undefined): void {
  if (site === undefined || !isError(error) || userLine(error) !== undefined) return;
  const lines = framesOf(site).filter(isOfUser);
  if (lines.length === 0) return;
  try {
    error.stack = [error.stack ?? String(error), ...lines].join("\n");
  } catch {
    // An error that cannot be changed or read keeps its stack.
  }
}

/** An error that wraps another names the line of the inner one; a chain that is longer than this does not. */
const CAUSES = 5;

/** The first place in the stack of an error, or of its cause, that is the user's, as `file:line:column`. */
export function userLine(error: unknown, causes: number = CAUSES): string | undefined {
  if (!isError(error)) return undefined;
  const frame = framesOf(error).find(isOfUser);
  if (frame === undefined) return causes === 0 ? undefined : userLine(causeOf(error), causes - 1);
  // linear: one line of a stack trace of this process
  return /(?:file:\/\/)?(\/[^()]+:\d+:\d+)\)?$/u.exec(frame)?.[1];
}

/** ` (at src/website.ts:51:33)`: the user's line with its last folder, for messages that leave the machine; empty if it is not known. */
export function atUserLine(error: unknown): string {
  const line = userLine(error);
  return line === undefined ? "" : ` (at ${line.split("/").slice(-2).join("/")})`;
}

function causeOf(error: Error): unknown {
  try {
    return error.cause;
  } catch {
    return undefined;
  }
}

/** A proxy may throw even on instanceof. */
function isError(error: unknown): error is Error {
  try {
    return error instanceof Error;
  } catch {
    return false;
  }
}

/** An error with an unreadable stack counts as one without frames. */
function framesOf(error: CallSite): readonly string[] {
  try {
    const { stack } = error;
    return typeof stack === "string" ? stack.split("\n").filter((line) => /^\s+at /u.test(line)) : [];
  } catch {
    return [];
  }
}

function isOfUser(frame: string): boolean {
  const at = frame.indexOf("file://");
  if (at < 0 || frame.includes("/node_modules/")) return false;
  const url = frame.slice(at);
  return !(url.startsWith(packagesFolder) && /^[^/]+\/(?:src|dist)\//u.test(url.slice(packagesFolder.length)));
}
