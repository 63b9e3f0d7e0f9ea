/** What an environment declares: functions with their overloads, and object types that the caller knows. */

import type { Type } from "../type.ts";
import type { CelResult, CelValue } from "../values/value.ts";

/** Computes a call from arguments that are values. */
export type Implementation = (...args: CelValue[]) => CelResult;

/** One signature of a function. */
export interface Overload {
  readonly id: string;
  /** Called on its first argument. */
  readonly member: boolean;
  readonly args: readonly Type[];
  readonly result: Type;
  /** Absent when the function computes all its overloads alike, or when the evaluator does. */
  readonly implementation?: Implementation;
}

/** A function by its name. */
export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
  /** Computes every overload; looks at its arguments itself. */
  readonly singleton?: Implementation;
  /** Skips the check of argument types at run time because the implementations make it. */
  readonly unguarded?: boolean;
}

/** Object types that the caller supplies, for example from a schema. */
export interface TypeProvider {
  /** The type of a name, when the name is a type. */
  findType(name: string): Type | undefined;
  /** The type of a field of an object type. */
  findField(typeName: string, field: string): Type | undefined;
  /** Makes an object of a type from its fields; absent when objects cannot be written in expressions. */
  construct?(typeName: string, fields: ReadonlyMap<string, CelValue>): CelResult;
}

/** A function that is called as `name(...)`. */
export function overload(id: string, args: readonly Type[], result: Type, implementation?: Implementation): Overload {
  return { id, member: false, args, result, ...(implementation && { implementation }) };
}

/** A function that is called on its first argument. */
export function member(id: string, args: readonly Type[], result: Type, implementation?: Implementation): Overload {
  return { id, member: true, args, result, ...(implementation && { implementation }) };
}

/** Several declarations of one name joined; an overload of a known id is the same overload. */
export function mergeFunctions(a: FunctionDeclaration, b: FunctionDeclaration): FunctionDeclaration {
  const known = new Set(a.overloads.map(({ id }) => id));
  const added = b.overloads.filter(({ id }) => !known.has(id));
  return { ...a, ...b, overloads: [...a.overloads, ...added] };
}
