/** Whether one type is assignable to another, and the resulting bindings of type variables. */

import { DYN, isDyn, isDynOrError, Type, sameType } from "../type.ts";

/** The binding of each type variable. */
export type Bindings = ReadonlyMap<string, Type>;

/** Whether `from` can be used as `to`: the bindings under which it can, or undefined. */
export function assign(bindings: Bindings, from: Type, to: Type): Bindings | undefined {
  return assignAll(bindings, [from], [to]);
}

/** The same for argument lists. */
export function assignAll(bindings: Bindings, from: readonly Type[], to: readonly Type[]): Bindings | undefined {
  const trial = new Map(bindings);
  return isAssignableList(trial, from, to) ? trial : undefined;
}

/** The more general of two types that are known to unify. */
export function mostGeneral(a: Type, b: Type): Type {
  return isEqualOrLessSpecific(a, b) ? a : b;
}

/** The type with its variables replaced; unbound ones become dyn on request. */
export function substitute(bindings: Bindings, type: Type, unboundToDyn: boolean): Type {
  if (type.kind === "param") {
    const bound = bindings.get(type.name);
    if (bound) return substitute(bindings, bound, unboundToDyn);
    return unboundToDyn ? DYN : type;
  }
  if (type.params.length === 0) return type;
  const params = type.params.map((param) => substitute(bindings, param, unboundToDyn));
  return params.every((param, index) => param === type.params[index]) ? type : new Type(type.kind, type.name, params);
}

type Trial = Map<string, Type>;

function isAssignableList(trial: Trial, from: readonly Type[], to: readonly Type[]): boolean {
  return from.length === to.length && from.every((type, index) => isAssignable(trial, type, to[index] as Type));
}

function isAssignable(trial: Trial, a: Type, b: Type): boolean {
  if (b.kind === "param") {
    const { valid, bound } = bindVariable(trial, a, b);
    if (valid || bound) return valid;
  }
  if (a.kind === "param") return bindVariable(trial, b, a).valid;
  if (isDynOrError(a) || isDynOrError(b)) return true;
  if (a.kind === "null") return isNullable(b);
  if (b.kind === "null") return isNullable(a);
  if (a.kind === "type") return b.kind === "type";
  return a.kind === b.kind && a.name === b.name && isAssignableList(trial, a.params, b.params);
}

/** Objects and times may be absent in what the language grew up with. */
function isNullable(type: Type): boolean {
  return ["opaque", "struct", "any", "duration", "timestamp", "null", "dyn"].includes(type.kind);
}

/** Tries to bind a variable to a type. */
function bindVariable(trial: Trial, type: Type, variable: Type): { readonly valid: boolean; readonly bound: boolean } {
  if (type.kind === "param" && type.name === variable.name) return { valid: true, bound: true };
  const known = trial.get(variable.name);
  if (known) return { valid: widen(trial, type, variable, known), bound: true };
  if (occursIn(trial, variable, type)) return { valid: false, bound: false };
  trial.set(variable.name, type);
  return { valid: true, bound: false };
}

/** A bound variable accepts a compatible type, and is bound to the more general of the two from then on. */
function widen(trial: Trial, type: Type, variable: Type, known: Type): boolean {
  if (sameType(type, known)) return true;
  if (!isAssignable(trial, type, known)) return false;
  const general = mostGeneral(type, known);
  if (!occursIn(trial, variable, general)) trial.set(variable.name, general);
  return true;
}

function occursIn(trial: Trial, variable: Type, type: Type): boolean {
  if (type.kind === "param") {
    if (type.name === variable.name) return true;
    const bound = trial.get(type.name);
    return bound !== undefined && occursIn(trial, variable, bound);
  }
  return type.params.some((param) => occursIn(trial, variable, param));
}

function isEqualOrLessSpecific(a: Type, b: Type): boolean {
  if (isDyn(a) || a.kind === "param") return true;
  if (isDyn(b) || b.kind === "param" || a.kind !== b.kind) return false;
  if (a.kind === "type") return true;
  if (a.name !== b.name || a.params.length !== b.params.length) return false;
  return a.params.every((param, index) => isEqualOrLessSpecific(param, b.params[index] ?? DYN));
}
