/**
 * Ends the reconcile of a plan before a side effect that a dry run cannot undo: the side effect is reported, and the following writes are
 * not known.
 */

/** Thrown in a plan instead of a side effect. It names the side effect, as in `run the step "pay"`. */
export class PlanStoppedError extends Error {
  override readonly name = "PlanStoppedError";
  readonly what: string;

  constructor(what: string) {
    super(`Would ${what}. A plan does not, so what follows is not known.`);
    this.what = what;
  }
}

/** Called before a side effect that a dry run cannot prevent: returns if it may happen, throws in a plan. */
export type BeforeTaken = (what: () => string) => void;
