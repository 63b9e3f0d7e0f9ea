/** Whether arguments fit a signature when types were not known before the evaluation. */

import type { FunctionDeclaration, Implementation, Overload } from "../check/declarations.ts";
import { isDyn, type Type } from "../type.ts";
import type { CelResult, CelValue } from "../values/value.ts";
import { CelError, CelList, CelMap, fail, typeOfValue } from "../values/value.ts";

/** The implementation behind a check of the arguments' types; types of the checker that nothing can evade are not checked. */
export function guarded(fn: FunctionDeclaration, overload: Overload): Implementation {
  const { implementation } = overload;
  if (!implementation) return dispatch(fn);
  if (fn.unguarded) return implementation;
  return (...args) => (fits(overload, args) ? implementation(...args) : mismatch(fn.name, args));
}

/** Picks the overload by the arguments. */
export function dispatch(fn: FunctionDeclaration): Implementation {
  const candidates = fn.overloads.filter(({ implementation }) => implementation);
  return (...args) => {
    for (const overload of candidates) {
      if (overload.implementation && fits(overload, args)) return overload.implementation(...args);
    }
    return mismatch(fn.name, args);
  };
}

function mismatch(name: string, args: readonly CelResult[]): CelError {
  const error = args.find((arg) => arg instanceof CelError);
  if (error) return error;
  const types = args.map((arg) => (arg instanceof CelError ? "error" : typeOfValue(arg).name));
  return fail(`no such overload: ${name}(${types.join(", ")})`);
}

function fits(overload: Overload, args: readonly CelValue[]): boolean {
  return (
    overload.args.length === args.length &&
    overload.args.every((type, index) => fitsType(type, args[index] as CelValue))
  );
}

function fitsType(type: Type, value: CelValue): boolean {
  if (isDyn(type) || type.kind === "param") return true;
  if (typeOfValue(value).name !== type.name) return false;
  if (value instanceof CelList) return value.size === 0 || fitsResult(type.first, value.at(0));
  return value instanceof CelMap ? fitsEntry(type, value) : true;
}

function fitsEntry(type: Type, map: CelMap): boolean {
  for (const key of map.keys()) return fitsType(type.first, key) && fitsResult(type.second, map.get(key) ?? null);
  return true;
}

function fitsResult(type: Type, value: CelResult): boolean {
  return isDyn(type) || type.kind === "param" || (!(value instanceof CelError) && fitsType(type, value));
}
