/** Calls: evaluate the arguments, compute, charge. */

import type { Implementation } from "../check/declarations.ts";
import type { CallPrice } from "../cost/track.ts";
import { equals } from "../values/compare.ts";
import type { CelResult, CelValue } from "../values/value.ts";
import { CelError, CelOptional, noSuchOverload } from "../values/value.ts";
import { spendOn } from "./spend.ts";
import type { Frame, Step } from "./frame.ts";

/** The parts of a planned call. */
export interface PlannedCall {
  readonly args: readonly Step[];
  readonly implementation: Implementation;
  readonly price: CallPrice | 1;
  /** Stops at the first argument that fails and, unless it was the last, costs nothing: how cel-go calls functions of many arguments. */
  readonly eager: boolean;
}

export function planCall(call: PlannedCall): Step {
  const [first, second] = call.args;
  if (call.eager || call.args.length > 2) return planMany(call);
  if (!first) return planZero(call);
  return second ? planBinary(call, first, second) : planUnary(call, first);
}

function planZero({ implementation, price }: PlannedCall): Step {
  return (frame) => {
    const result = implementation();
    charge(frame, price, [], result);
    return result;
  };
}

function planUnary({ implementation, price }: PlannedCall, operand: Step): Step {
  return (frame) => {
    const value = operand(frame);
    spendOn(value);
    const result = value instanceof CelError ? value : implementation(value);
    if (price === 1) frame.charge(1);
    else charge(frame, price, [value], result);
    return result;
  };
}

function planBinary({ implementation, price }: PlannedCall, left: Step, right: Step): Step {
  return (frame) => {
    const a = left(frame);
    const b = right(frame);
    spendOn(a);
    spendOn(b);
    let result: CelResult;
    if (a instanceof CelError) result = a;
    else result = b instanceof CelError ? b : implementation(a, b);
    if (price === 1) frame.charge(1);
    else charge(frame, price, [a, b], result);
    return result;
  };
}

function charge(frame: Frame, price: CallPrice | 1, args: readonly CelResult[], result: CelResult): void {
  frame.charge(price === 1 ? 1 : (price(args, result) ?? 1));
}

function planMany({ args, implementation, price }: PlannedCall): Step {
  return (frame) => {
    const values: CelValue[] = [];
    for (const arg of args) {
      const value = arg(frame);
      if (value instanceof CelError) {
        if (values.length === args.length - 1) charge(frame, price, [...values, value], value);
        return value;
      }
      spendOn(value);
      values.push(value);
    }
    const result = implementation(...values);
    charge(frame, price, values, result);
    return result;
  };
}

/** `==` and `!=` are defined for all values. */
export function planEquality(price: CallPrice | 1, operands: readonly [Step, Step], negated: boolean): Step {
  const [left, right] = operands;
  return (frame) => {
    const a = left(frame);
    const b = right(frame);
    const same = equals(a, b);
    const result = negated && !(a instanceof CelError) && !(b instanceof CelError) ? same !== true : same;
    if (price === 1) frame.charge(1);
    else charge(frame, price, [a, b], result);
    return result;
  };
}

/** `&&` (decided by false) and `||` (decided by true): a decided result absorbs the other side's error. */
export function planLogical(decider: boolean, left: Step, right: Step): Step {
  return (frame) => {
    const a = left(frame);
    if (a === decider) return decider;
    const b = right(frame);
    if (b === decider) return decider;
    if (typeof a !== "boolean") return a instanceof CelError ? a : noSuchOverload();
    if (typeof b !== "boolean") return b instanceof CelError ? b : noSuchOverload();
    return !decider;
  };
}

/** `optional.or(optional)` and `optional.orValue(value)` evaluate their argument only when they need it, and are free. */
export function planOptionalOr(left: Step, right: Step, unwrap: boolean): Step {
  return (frame) => {
    const optional = left(frame);
    if (!(optional instanceof CelOptional)) return optional;
    if (optional.value === undefined) return right(frame);
    return unwrap ? optional.value : optional;
  };
}

/** Errors count as true, so that a loop continues and may still be decided. */
export function planNotStrictlyFalse(operand: Step): Step {
  return (frame) => {
    const value = operand(frame);
    frame.charge(1);
    return value !== false;
  };
}
