/** Counts the work that costs do not reflect, so that no evaluation or validation keeps the process busy for long. */

/** One unit takes some ten nanoseconds; this many stay near a tenth of a second. */
export const WORK_LIMIT: number = 10_000_000;

/** Only synchronous code runs within a limit, so one counter serves all. */
let spent = 0;
let end: number = Number.POSITIVE_INFINITY;

/** Thrown when a computation would take more work than it may. */
export class WorkExceededError extends Error {
  override readonly name = "WorkExceededError";
  readonly code = "work-limit";
}

/** Counts work before it is done; throws past the limit. */
export function spend(units: number): void {
  spent += units;
  if (spent > end) throw new WorkExceededError("the computation takes more work than it may");
}

/** Runs something synchronous within a limit and within what the enclosing limit leaves; `onWork` receives what it took. */
export function withinWork<T>(limit: number, run: () => T, onWork?: (units: number) => void): T {
  const start = spent;
  const outer = end;
  end = Math.min(outer, start + limit);
  try {
    return run();
  } finally {
    end = outer;
    onWork?.(spent - start);
  }
}

/** Runs something that was paid for elsewhere, such as compiling a pattern that was accepted before. */
export function withoutWork<T>(run: () => T): T {
  const [start, outer] = [spent, end];
  end = Number.POSITIVE_INFINITY;
  try {
    return run();
  } finally {
    [spent, end] = [start, outer];
  }
}
