/** The errors of the runtime, and the two that a reconcile may throw on purpose. */

/** Why the runtime could not do something. Programs switch on this, never on the message. */
export type RuntimeErrorCode =
  /** This process is not, or no longer, the leader: it must not write. */
  | "Fenced"
  /** Two managers undo each other's writes, or an object is written far too often. */
  | "HotLoop"
  /** An object stands where a child shall be, and somebody else made it. */
  | "NotOurs"
  /** A reconcile took longer than it may. */
  | "TimedOut"
  /** The operator is stopping. */
  | "Stopping"
  /** Objects of a test still fail when its world has settled. */
  | "StillFailing"
  /** A reconcile used a kind that its controller did not declare. */
  | "NotDeclared"
  /** A reconcile answered with something that is no outcome. */
  | "BadOutcome"
  /** A reconcile changed what it was given to read. */
  | "ReadOnly"
  /** A reconcile did not wait for what it began. */
  | "NotAwaited"
  /** Something was begun for a turn that had ended. */
  | "TurnOver"
  /** A step has no name to be remembered by. */
  | "StepUnnamed"
  /** Two steps of one turn have the same name. */
  | "StepUsedTwice"
  /** What is applied is no object, has no name, or says what only the server may say. */
  | "BadChild"
  /** What is applied names another object than the call does. */
  | "OtherName"
  /** What is to be written holds a number that is none, a function, or something else that JSON does not have. */
  | "NotJson"
  /** What steps returned does not fit onto the object. */
  | "StepsTooLarge"
  /** A stored object does not fit the schema of its kind. */
  | "InvalidObject"
  /** A declaration or a setting makes no sense. */
  | "BadSetting"
  /** A server cannot be opened at its address. */
  | "CannotListen"
  /** What has to be known cannot be read. */
  | "NotSynced"
  /** The kind is not served: its CRD is missing. */
  | "KindMissing"
  /** An API server answered with a state that is older than what was known. */
  | "ServerBehind";

/** Something that the runtime could not do. */
export class RuntimeError extends Error {
  override readonly name: string = "RuntimeError";
  readonly code: RuntimeErrorCode;
  /** The object concerned, as `Kind namespace/name`. */
  readonly object: string | undefined;

  constructor(code: RuntimeErrorCode, message: string, about: { object?: string; cause?: unknown } = {}) {
    super(message, about.cause === undefined ? undefined : { cause: about.cause });
    this.code = code;
    this.object = about.object;
  }
}

/** Makes what a user declared; a mistake in it is told at the line of the user's call, not where it was found. */
export function madeFor<T>(call: (...args: never) => unknown, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof RuntimeError) Error.captureStackTrace(error, call);
    throw error;
  }
}

/** Thrown by a reconcile that wants to be tried again, after a time of its choice or after the usual backoff. */
export class Retry extends Error {
  override readonly name = "Retry";
  /** In milliseconds; absent: the usual backoff. */
  readonly after: number | undefined;

  constructor(message: string, options: { readonly after?: Duration; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.after = options.after === undefined ? undefined : toMilliseconds(options.after);
  }
}

/** Thrown by a reconcile when trying again cannot help; the object rests until something about it changes. */
export class Terminal extends Error {
  override readonly name = "Terminal";

  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
  }
}

type Unit = "ms" | "s" | "m" | "h" | "d";

/** A duration as people write it: milliseconds, or text such as `"90s"`, `"5m"` or `"1h30m"`. */
export type Duration = number | `${number}${Unit}` | `${number}${Unit}${number}${Unit}`;

/** A duration that may be known only to the running program, such as a field of a spec; one that is written out is checked by the compiler. */
export type SaidDuration<D extends string | number> = string extends D ? D : D extends Duration ? D : Duration;

const UNITS: { readonly [unit: string]: number } = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A duration in milliseconds; also one that only the running program knows, such as a field of a spec. */
export function toMilliseconds(duration: string | number): number {
  if (typeof duration === "number") {
    if (Number.isFinite(duration) && duration >= 0) return duration;
  } else if (/^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/u.test(duration)) {
    let sum = 0;
    for (const [, amount, unit] of duration.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/gu)) {
      sum += Number(amount) * (UNITS[unit ?? ""] ?? 0);
    }
    return sum;
  }
  throw new RuntimeError(
    "BadSetting",
    `Cannot read "${duration}" as a duration: write milliseconds or text such as "90s", "5m" or "1h30m".`,
  );
}
