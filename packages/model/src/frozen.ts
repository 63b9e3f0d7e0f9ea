/** Deep freezing, so that shared values cannot be changed. */

/** A value that is readonly all the way down. */
export type DeepReadonly<T> = T extends (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

/** Freezes a JSON value deeply and returns it; a frozen part is assumed to be deeply frozen. */
export function deepFreeze<T>(value: T): DeepReadonly<T> {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) deepFreeze(part);
  }
  return value as DeepReadonly<T>;
}
