/** What a quantity costs at a price: simple, graduated, volume or package, exact until it is rounded once. */
import type { Price, Step } from "../book/book.ts";
import { type Rational, add, ceiling, compare, multiply, roundTo, subtract, zero } from "../number/rational.ts";

/** The part of a quantity in one step, with its exact cost. */
export interface CostLine {
  /** From 1. */
  readonly step: number;
  readonly quantity: Rational;
  readonly cost: Rational;
  readonly flat?: true;
}

/** The parts of a quantity, in units of the price. */
export function costLines(price: Pick<Price, "tiers" | "steps">, quantity: Rational): CostLine[] {
  switch (price.tiers) {
    case "simple":
      return [{ step: 1, quantity, cost: multiply(quantity, price.steps[0]?.amount ?? zero) }];
    case "graduated":
      return graduated(price.steps, quantity);
    case "package":
      return graduated(price.steps, ceiling(quantity));
    case "volume":
      return volume(price.steps, quantity);
  }
}

function graduated(steps: readonly Step[], quantity: Rational): CostLine[] {
  const lines: CostLine[] = [];
  let lower = zero;
  for (const [at, step] of steps.entries()) {
    if (compare(quantity, lower) <= 0) break;
    const upper = step.upTo === undefined || compare(quantity, step.upTo) < 0 ? quantity : step.upTo;
    const part = subtract(upper, lower);
    lines.push({ step: at + 1, quantity: part, cost: multiply(part, step.amount) }, ...flatLine(step, at));
    lower = step.upTo ?? upper;
  }
  return lines;
}

function flatLine(step: Step, at: number): CostLine[] {
  return step.flat === undefined ? [] : [{ step: at + 1, quantity: zero, cost: step.flat, flat: true }];
}

function volume(steps: readonly Step[], quantity: Rational): CostLine[] {
  if (compare(quantity, zero) <= 0) return [];
  const at = steps.findIndex(({ upTo }) => upTo === undefined || compare(quantity, upTo) <= 0);
  const step = steps[at];
  if (step === undefined) return [];
  return [{ step: at + 1, quantity, cost: multiply(quantity, step.amount) }, ...flatLine(step, at)];
}

/** The cost in millionths, rounded half-even: the one rounding. */
export function costOf(price: Pick<Price, "tiers" | "steps">, quantity: Rational): bigint {
  return roundTo(
    costLines(price, quantity).reduce((sum, { cost }) => add(sum, cost), zero),
    6,
  );
}
