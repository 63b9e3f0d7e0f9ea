/** What a kind of request of a flow usually costs. Requests wait beside others of about the same cost, so that short ones do not wait for long ones. */

/** The costs of the flows that were served last are known. */
const mostKnown = 2_000;
/** The factor by which one measured cost changes the expected one: a pause of the garbage collector in one request says nothing about the next. */
const step = 1.25;
/** Requests below this cost are the cheapest, in milliseconds; each further class costs twice as much. */
const cheapest = 0.5;
export const costClasses = 8;
/** The smallest cost from which an expected one grows, in milliseconds. */
const least = 0.01;

/** About the medians of measured costs, in milliseconds. */
export class ExpectedCosts {
  /** The one that was noted last is at the end. */
  readonly #medians = new Map<string, number>();

  of(name: string): number | undefined {
    return this.#medians.get(name);
  }

  note(name: string, cost: number): void {
    const known = this.#medians.get(name);
    this.#medians.delete(name);
    this.#medians.set(name, known === undefined ? cost : towards(cost, known));
    const [oldest] = this.#medians.keys();
    if (this.#medians.size > mostKnown && oldest !== undefined) this.#medians.delete(oldest);
  }
}

function towards(cost: number, known: number): number {
  return cost > known ? Math.min(cost, Math.max(known, least) * step) : Math.max(cost, known / step);
}

/** The class of a cost: 0 for the cheapest requests. */
export function costClass(milliseconds: number): number {
  if (milliseconds <= cheapest) return 0;
  return Math.min(costClasses - 1, Math.ceil(Math.log2(milliseconds / cheapest)));
}
