/** Ends the reconcile of a plan before something that a dry run cannot undo: it is told instead of done, and what would follow is not known. */

/** Thrown in the place of what a plan does not do. It says what that is, as in `run the step "pay"`. */
export class PlanStoppedError extends Error {
  override readonly name = "PlanStoppedError";
  readonly what: string;

  constructor(what: string) {
    super(`Would ${what}. A plan does not, so what follows is not known.`);
    this.what = what;
  }
}

/** Called before anything whose effects no dry run holds back: returns where it may be done, throws in a plan. */
export type BeforeTaken = (what: () => string) => void;
