/** What one evaluation carries along: variables, locals and the bill. */

import type { CelResult } from "../values/value.ts";
import { CelError } from "../values/value.ts";

/** Where variables come from; a Map is one. */
export interface Activation {
  /** The value of a variable, or undefined when it has none. */
  get(name: string): CelResult | undefined;
}

/** The state of one evaluation. */
export class Frame {
  readonly activation: Activation;
  /** One slot for each variable of each comprehension; undefined until it has a value. */
  readonly locals: (CelResult | undefined)[];
  cost = 0;
  private readonly limit: number;

  constructor(activation: Activation, slots: number, limit: number) {
    this.activation = activation;
    this.locals = Array.from({ length: slots });
    this.limit = limit;
  }

  /** Adds to the cost; the evaluation ends past the limit. */
  charge(cost: number): void {
    this.cost += cost;
    if (this.cost > this.limit) throw COST_EXCEEDED;
  }
}

/** Thrown, not returned: no operator may absorb it. */
export const COST_EXCEEDED: CelError = new CelError("operation cancelled: actual cost limit exceeded", "cost-limit");

/** A planned piece of an expression. */
export type Step = (frame: Frame) => CelResult;
