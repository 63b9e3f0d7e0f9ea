/** Finds the user's own lines in stacks: where a function of theirs failed, or made the call that failed. */

/** The rooms of the framework: what runs in them is not the user's. */
const rooms = new URL("../../", import.meta.url).href;

/** How many frames lead from a call to the user's function. */
const FRAMES = 5;

/** Where a call was made. The text is made only when somebody asks for it. */
export interface CallSite {
  readonly stack?: string;
}

/** Remembers who called. It costs some microseconds: it is for reconciles of which somebody wants to know more. */
export function captureCallSite(): CallSite {
  const site: CallSite = {};
  const usual = Error.stackTraceLimit;
  Error.stackTraceLimit = Math.min(FRAMES, usual);
  Error.captureStackTrace(site, captureCallSite);
  Error.stackTraceLimit = usual;
  return site;
}

/** Adds the user's lines to the stack of an error that was made where nobody knows them any more. */
export function addCallSite(error: unknown, site: CallSite | undefined): void {
  if (site === undefined || !isError(error) || userLine(error) !== undefined) return;
  const lines = framesOf(site).filter(isOfUser);
  if (lines.length === 0) return;
  try {
    error.stack = [error.stack ?? String(error), ...lines].join("\n");
  } catch {
    // An error that cannot be changed, or read, keeps the stack that it has.
  }
}

/** The first place in an error's stack that is the user's, as `file:line:column`. */
export function userLine(error: unknown): string | undefined {
  if (!isError(error)) return undefined;
  const frame = framesOf(error).find(isOfUser);
  // linear: one line of a stack trace of this process
  return frame && /(?:file:\/\/)?(\/[^()]+:\d+:\d+)\)?$/u.exec(frame)?.[1];
}

/** A proxy may throw even when it is asked for its class. */
function isError(error: unknown): error is Error {
  try {
    return error instanceof Error;
  } catch {
    return false;
  }
}

/** Errors may be anything: one whose stack cannot be read has none. */
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
  return !(url.startsWith(rooms) && /^[^/]+\/(?:src|dist)\//u.test(url.slice(rooms.length)));
}
