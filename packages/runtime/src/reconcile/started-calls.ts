/**
 * The calls that a reconcile started: each write and each step is a promise that knows whether it is awaited, so that none is forgotten
 * and none outlives its reconcile.
 */
import { addCallSite, captureCallSite } from "../report/call-site.ts";
import type { CallSite } from "../report/call-site.ts";
import { RuntimeError } from "../errors.ts";
import { messageOf } from "../failure.ts";

/** A promise that records whether it is awaited. `await` calls `then` of every promise that is not of the plain class. */
class ObservedPromise<T> extends Promise<T> {
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  isAwaited = false;

  override then<A = T, B = never>(
    onValue?: ((value: T) => A | PromiseLike<A>) | null,
    onError?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.isAwaited = true;
    return super.then(onValue, onError);
  }
}

/** A started call. */
interface StartedCall {
  /** A description, as in `apply of ConfigMap settings`. */
  readonly what: () => string;
  readonly promise: ObservedPromise<unknown>;
  /** The user's calling line, if it is captured. */
  readonly site: CallSite | undefined;
  state: "running" | "done" | "failed";
  error: unknown;
}

export interface StartedCallsOptions {
  /** The current signal of the reconcile. */
  readonly signal: () => AbortSignal;
  /** Called before each call; throws if it is not allowed. */
  readonly check: () => void;
  /** Whether errors name the user's calling lines. */
  readonly namesCalls: boolean;
  /** Called with the error of a call that came after the end of the reconcile: the user's code may not handle it. */
  readonly onLate: (error: RuntimeError) => void;
}

/** All calls of the function of one reconcile. */
export class StartedCalls {
  readonly #options: StartedCallsOptions;
  readonly #calls: StartedCall[] = [];
  #isOver = false;

  constructor(options: StartedCallsOptions) {
    this.#options = options;
  }

  /** Starts a call, unless the reconcile has ended or was aborted. */
  start<T>(what: () => string, run: () => Promise<T>): Promise<T> {
    const site = this.#options.namesCalls ? captureCallSite() : undefined;
    const promise = new ObservedPromise<T>((resolve) => resolve(this.#run(what, run, site)));
    const call: StartedCall = { what, promise, site, state: "running", error: undefined };
    this.#calls.push(call);
    // Does not count as awaited: the reconcile reports promises that are not awaited, and they must not end the process.
    void Promise.prototype.then.call(
      promise,
      () => void (call.state = "done"),
      (error: unknown) => {
        call.state = "failed";
        call.error = error;
      },
    );
    return promise;
  }

  /** The function has returned: no new calls start, running ones are awaited, and promises that were not awaited are reported. */
  async end(): Promise<RuntimeError | undefined> {
    this.#isOver = true;
    const forgotten = this.#calls.find(({ promise }) => !promise.isAwaited);
    for (const { promise, state } of this.#calls) if (state === "running") await promise.catch(() => undefined);
    return forgotten && notAwaited(forgotten);
  }

  async #run<T>(what: () => string, run: () => Promise<T>, site: CallSite | undefined): Promise<T> {
    const { signal, check, onLate } = this.#options;
    signal().throwIfAborted();
    check();
    try {
      if (!this.#isOver) return await run();
    } catch (error) {
      addCallSite(error, site);
      throw error;
    }
    const error = tooLate(what());
    addCallSite(error, site);
    onLate(error);
    throw error;
  }
}

function notAwaited({ what, state, error, site }: StartedCall): RuntimeError {
  const end = state === "failed" ? `It failed: ${messageOf(error)}` : "Its failure would have been lost.";
  const message = `The ${what()} was not awaited: write \`await\` before it. ${end}`;
  const notAwaitedError = new RuntimeError("NotAwaited", message, { cause: error });
  addCallSite(notAwaitedError, site);
  return notAwaitedError;
}

function tooLate(what: string): RuntimeError {
  return new RuntimeError(
    "ReconcileOver",
    `Did not begin the ${what}: the reconcile that it belongs to is over. Await everything that a reconcile begins.`,
  );
}
