/**
 * The calls that a reconcile started: each write and each step is a promise that knows whether it is awaited, so that none is forgotten
 * and none outlives its reconcile.
 */
import { addCallSite, captureCallSite } from "../call-site.ts";
import type { CallSite } from "../call-site.ts";
import { RuntimeError } from "../errors.ts";
import { messageOf } from "../failure.ts";

/** A promise that records whether it is awaited. `await` calls `then` of every promise that is not of the plain class. */
class Noticed<T> extends Promise<T> {
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
interface Piece {
  /** A description, as in `apply of ConfigMap settings`. */
  readonly what: () => string;
  readonly promise: Noticed<unknown>;
  /** The user's calling line, if it is captured. */
  readonly site: CallSite | undefined;
  state: "running" | "done" | "failed";
  error: unknown;
}

export interface BegunOptions {
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
export class Begun {
  readonly #options: BegunOptions;
  readonly #pieces: Piece[] = [];
  #isOver = false;

  constructor(options: BegunOptions) {
    this.#options = options;
  }

  /** Starts a call, unless the reconcile has ended or was aborted. */
  begin<T>(what: () => string, run: () => Promise<T>): Promise<T> {
    const site = this.#options.namesCalls ? captureCallSite() : undefined;
    const promise = new Noticed<T>((resolve) => resolve(this.#start(what, run, site)));
    const piece: Piece = { what, promise, site, state: "running", error: undefined };
    this.#pieces.push(piece);
    // Does not count as awaited: the reconcile reports promises that are not awaited, and they must not end the process.
    void Promise.prototype.then.call(
      promise,
      () => void (piece.state = "done"),
      (error: unknown) => {
        piece.state = "failed";
        piece.error = error;
      },
    );
    return promise;
  }

  /** The function has returned: no new calls start, running ones are awaited, and promises that were not awaited are reported. */
  async end(): Promise<RuntimeError | undefined> {
    this.#isOver = true;
    const forgotten = this.#pieces.find(({ promise }) => !promise.isAwaited);
    for (const { promise, state } of this.#pieces) if (state === "running") await promise.catch(() => undefined);
    return forgotten && notAwaited(forgotten);
  }

  async #start<T>(what: () => string, run: () => Promise<T>, site: CallSite | undefined): Promise<T> {
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

function notAwaited({ what, state, error, site }: Piece): RuntimeError {
  const end = state === "failed" ? `It failed: ${messageOf(error)}` : "Had it failed, nobody would have known.";
  const told = `The ${what()} was not awaited: write \`await\` before it. ${end}`;
  const made = new RuntimeError("NotAwaited", told, { cause: error });
  addCallSite(made, site);
  return made;
}

function tooLate(what: string): RuntimeError {
  return new RuntimeError(
    "ReconcileOver",
    `Did not begin the ${what}: the reconcile that it belongs to is over. Await everything that a reconcile begins.`,
  );
}
