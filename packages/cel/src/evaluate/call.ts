/** Calls: evaluate the arguments, compute, charge. */

import type { Implementation } from "../check/declarations.ts";
import type { CallPrice } from "../cost/track.ts";
import { equals } from "../values/compare.ts";
import type { CelResult, CelValue } from "../values/value.ts";
import { CelError, CelOptional, noSuchOverload } from "../values/value.ts";
import type { Step } from "./frame.ts";

/** What a planned call needs to know. */
export interface PlannedCall {
  readonly args: readonly Step[];
  readonly implementation: Implementation;
  readonly price: CallPrice | 1;
  /** Stops at the first argument that fails, and then costs nothing: how cel-go calls functions of many arguments. */
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
    frame.charge(price === 1 ? 1 : (price([], result) ?? 1));
    return result;
  };
}

function planUnary({ implementation, price }: PlannedCall, operand: Step): Step {
  return (frame) => {
    const value = operand(frame);
    const result = value instanceof CelError ? value : implementation(value);
    frame.charge(price === 1 ? 1 : (price([value], result) ?? 1));
    return result;
  };
}

function planBinary({ implementation, price }: PlannedCall, left: Step, right: Step): Step {
  return (frame) => {
    const a = left(frame);
    const b = right(frame);
    let result: CelResult;
    if (a instanceof CelError) result = a;
    else result = b instanceof CelError ? b : implementation(a, b);
    frame.charge(price === 1 ? 1 : (price([a, b], result) ?? 1));
    return result;
  };
}

function planMany({ args, implementation, price }: PlannedCall): Step {
  return (frame) => {
    const values: CelValue[] = [];
    for (const arg of args) {
      const value = arg(frame);
      if (value instanceof CelError) return value;
      values.push(value);
    }
    const result = implementation(...values);
    frame.charge(price === 1 ? 1 : (price(values, result) ?? 1));
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
    frame.charge(price === 1 ? 1 : (price([a, b], result) ?? 1));
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

/** Errors count as true, so that a loop goes on and may still be decided. */
export function planNotStrictlyFalse(operand: Step): Step {
  return (frame) => {
    const value = operand(frame);
    frame.charge(1);
    return value !== false;
  };
}
