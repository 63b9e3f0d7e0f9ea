/** Freezing whole values, so that what is shared cannot be changed. */

/** A value that is readonly all the way down. */
export type DeepReadonly<T> = T extends (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

/** Freezes a JSON value with everything in it and returns it; a frozen part is taken to be frozen all the way down. */
export function deepFreeze<T>(value: T): DeepReadonly<T> {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) deepFreeze(part);
  }
  return value as DeepReadonly<T>;
}
