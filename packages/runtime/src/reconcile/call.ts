/** The call of the user's function in one reconcile: its signal, the calls that it starts, and the side effect at which a plan stops. */
import type { StoredObject } from "@capstan/model";
import type { AnyKind } from "../api.ts";
import type { RuntimeError } from "../errors.ts";
import { Copies } from "./copies.ts";
import { PlanStoppedError } from "../plan/plan-stopped.ts";
import { StartedCalls } from "./started-calls.ts";

/** The limits of one reconcile. */
export interface ReconcileLimits {
  readonly signal: AbortSignal;
  /** Its trace, if it is traced. */
  readonly trace: string | undefined;
  /**
   * Whether the previous reconcile failed with a TypeError that may come from a write to a frozen object: this one uses copies to find
   * out.
   */
  readonly isSuspect?: boolean;
  /** Whether errors name the user's calling lines, which costs a little. */
  readonly namesCalls?: boolean;
}

export interface UserCallOptions extends ReconcileLimits {
  /** Whether the reconcile is a plan. */
  readonly isDry: boolean;
  /** Called with the error of a call that came after the end of the reconcile. */
  readonly onLate: (error: RuntimeError) => void;
}

/** The call of the user's function. */
export class UserCall {
  /** The signal for the user's function: the call's own while it runs, the controller's before and after. */
  #signal: AbortSignal;
  readonly #isDry: boolean;
  readonly #started: StartedCalls;
  /** Only after a suspected mutation. */
  readonly #copies: Copies | undefined;
  #isRunning = false;
  #planStop: PlanStoppedError | undefined;

  constructor({ signal, isSuspect = false, namesCalls = false, isDry, onLate }: UserCallOptions) {
    this.#signal = signal;
    this.#isDry = isDry;
    this.#copies = isSuspect ? new Copies() : undefined;
    const check = (): void => this.#check();
    this.#started = new StartedCalls({ signal: () => this.#signal, check, namesCalls, onLate });
  }

  get signal(): AbortSignal {
    return this.#signal;
  }

  /** Whether the user's function runs. One that was aborted may still run; it no longer counts. */
  get isRunning(): boolean {
    return this.#isRunning && !this.#signal.aborted;
  }

  /** Whether it was aborted, or stopped as a plan. */
  get isStopped(): boolean {
    return this.#signal.aborted || this.#planStop !== undefined;
  }

  /** Ends the reconcile here if it is a plan. */
  readonly beforeSideEffect = (what: () => string): void => {
    if (!this.#isDry) return;
    this.#planStop ??= new PlanStoppedError(what());
    throw this.#planStop;
  };

  /** Starts a call of the user's function: a write or a step. */
  start<T>(what: () => string, run: () => Promise<T>): Promise<T> {
    return this.#started.start(what, run);
  }

  /** The object that the user's function gets: a copy after a suspected mutation. */
  shown(kind: AnyKind, object: StoredObject): StoredObject {
    return this.#copies?.of(kind, object) ?? object;
  }

  /** The same for several objects. */
  shownAll(kind: AnyKind, objects: readonly StoredObject[]): readonly StoredObject[] {
    return this.#copies === undefined ? objects : objects.map((object) => this.shown(kind, object));
  }

  /**
   * Runs the user's function. The reconcile continues when everything that it started has ended; a promise that was not awaited fails
   * the reconcile.
   */
  async run(handler: () => unknown, signal: AbortSignal): Promise<unknown> {
    const outer = this.#signal;
    this.#signal = signal;
    this.#isRunning = true;
    let result: unknown;
    let notAwaited: RuntimeError | undefined;
    try {
      result = await handler();
    } catch (error) {
      throw this.#planStop ?? error;
    } finally {
      this.#isRunning = false;
      notAwaited = await this.#started.end();
      this.#copies?.check();
    }
    if (this.#planStop !== undefined) throw this.#planStop;
    if (notAwaited !== undefined) throw notAwaited;
    if (!signal.aborted) this.#signal = outer;
    return result;
  }

  /** User code that catches the error of a stopped plan cannot continue to write. */
  #check(): void {
    this.#copies?.check();
    if (this.#planStop !== undefined) throw this.#planStop;
  }
}
