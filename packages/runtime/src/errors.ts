/** The errors of the runtime, and the one that a reconcile throws when a retry cannot help. */

/**
 * The code of a runtime error. Programs switch on it, never on the message.
 *
 * @example
 * const isBug = (code: RuntimeErrorCode) => code === "NotDeclared" || code === "NotAwaited";
 */
export type RuntimeErrorCode =
  /** This process is not, or no longer, the leader: it must not write. */
  | "Fenced"
  /** Two managers undo each other's writes, or an object is written far too often. */
  | "HotLoop"
  /** An object with the name of a child exists, and the operator did not create it. */
  | "NotOurs"
  /** A reconcile exceeded its timeout. */
  | "TimedOut"
  /** The operator is stopping. */
  | "Stopping"
  /** Objects of a test still fail after the world has settled. */
  | "StillFailing"
  /** A reconcile used a kind that its controller did not declare. */
  | "NotDeclared"
  /** A reconcile returned something that is not a result. */
  | "BadOutcome"
  /** A reconcile mutated an object that is read-only. */
  | "ReadOnly"
  /** A reconcile did not await a call that it started. */
  | "NotAwaited"
  /** A reconcile started a call after it had ended. */
  | "ReconcileOver"
  /** A step has no name. */
  | "StepUnnamed"
  /** Two steps of one reconcile have the same name. */
  | "StepUsedTwice"
  /** A child is not an object, has no name, or has fields that only the server may set. */
  | "BadChild"
  /** A child has another name in its metadata than in the call. */
  | "OtherName"
  /** A value to write contains NaN, a function, or something else that JSON does not have. */
  | "NotJson"
  /** The results of steps do not fit onto the object. */
  | "StepsTooLarge"
  /** A stored object does not match the schema of its kind. */
  | "InvalidObject"
  /** A declaration or a setting is invalid. */
  | "BadSetting"
  /** A server cannot listen on its address. */
  | "CannotListen"
  /** A cache that is needed could not be filled. */
  | "NotSynced"
  /** The kind is not served: its CRD is missing. */
  | "KindMissing"
  /** An API server returned a state that is older than the known one. */
  | "ServerBehind";

/**
 * An error of the runtime.
 *
 * @example
 * try {
 *   operator({ name: "memcached-operator", controllers: [memcached, memcached] });
 * } catch (error) {
 *   if (error instanceof RuntimeError && error.code === "BadSetting") console.error(error.message);
 * }
 */
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

/** Evaluates a declaration of the user; an error in it points to the line of the user's call, not to the check. */
export function madeFor<T>(call: (...args: never) => unknown, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof RuntimeError) Error.captureStackTrace(error, call);
    throw error;
  }
}

/**
 * Thrown by a reconcile when a retry cannot help. The object is not retried until it, or something that it reads or owns, changes. Any
 * other error is retried with backoff.
 *
 * @example
 * controller(Memcached, {}, ({ object }) => {
 *   if (object.spec.image === "") throw new TerminalError("spec.image is empty");
 * });
 */
export class TerminalError extends Error {
  override readonly name = "TerminalError";

  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
  }
}

type Unit = "ms" | "s" | "m" | "h" | "d";

/**
 * A duration: text such as `"90s"`, `"5m"` or `"1h30m"`, or a number of milliseconds. The compiler checks literal text. Text that is only
 * known at run time, such as a field of a spec, goes through `toMilliseconds`.
 *
 * @example
 * const interval: Duration = "1h30m";
 * const milliseconds: Duration = 500;
 */
export type Duration =
  | number
  | `${number}${Unit}`
  | `${number}${Unit}${number}${Unit}`
  | `${number}${Unit}${number}${Unit}${number}${Unit}`;

const UNITS: { readonly [unit: string]: number } = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * The milliseconds of a duration. It also reads text that is only known at run time, such as a field of a spec.
 *
 * @example
 * const ttl: string = "1h30m";
 * controller(Memcached, {}, () => requeue(toMilliseconds(ttl)));
 */
export function toMilliseconds(duration: string | number): number {
  if (typeof duration === "number") {
    if (Number.isFinite(duration) && duration >= 0) return duration;
  } else if (/^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/u.test(duration)) {
    let sum = 0;
    // linear: the whole text was matched above, so no digits are without a unit
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
