/**
 * What a reconcile has begun: each write and each step is a promise that knows whether somebody awaits it, so that none is forgotten and
 * none outlives its reconcile.
 */
import { addCallSite, captureCallSite } from "../call-site.ts";
import type { CallSite } from "../call-site.ts";
import { RuntimeError } from "../errors.ts";
import { messageOf } from "../failure.ts";

/** A promise that notices when somebody looks at it. `await` calls `then` of every promise that is not of the plain class. */
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

/** Something that was begun. */
interface Piece {
  /** As in `apply of ConfigMap settings`. */
  readonly what: () => string;
  readonly promise: Noticed<unknown>;
  /** Where the function called for it, if somebody wants to know. */
  readonly site: CallSite | undefined;
  state: "running" | "done" | "failed";
  error: unknown;
}

/** What begun work is kept with. */
export interface BegunOptions {
  /** The signal that it runs under now. */
  readonly signal: () => AbortSignal;
  /** Called before anything begins; throws if it may not. */
  readonly check: () => void;
  /** Whether errors name the lines that called for what failed. */
  readonly namesCalls: boolean;
  /** Is told of what came too late: nobody may be there to hear it otherwise. */
  readonly onLate: (error: RuntimeError) => void;
}

/** Everything that the function of one reconcile began. */
export class Begun {
  readonly #options: BegunOptions;
  readonly #pieces: Piece[] = [];
  #isOver = false;

  constructor(options: BegunOptions) {
    this.#options = options;
  }

  /** Begins a piece of work, unless the reconcile is over or was given up. */
  begin<T>(what: () => string, run: () => Promise<T>): Promise<T> {
    const site = this.#options.namesCalls ? captureCallSite() : undefined;
    const promise = new Noticed<T>((resolve) => resolve(this.#start(what, run, site)));
    const piece: Piece = { what, promise, site, state: "running", error: undefined };
    this.#pieces.push(piece);
    // Without a look at it: what nobody awaits is told by the reconcile, and must not end the process.
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

  /** The function has ended: nothing new begins, what runs is waited for, and what was forgotten is told. */
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
