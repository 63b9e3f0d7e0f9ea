/** Copying JSON values. */

/** A value that may be changed all the way down. */
export type DeepMutable<T> = T extends readonly (infer Item)[]
  ? DeepMutable<Item>[]
  : T extends object
    ? { -readonly [Key in keyof T]: DeepMutable<T[Key]> }
    : T;

/** A copy of a JSON value that shares nothing with it; several times as fast as `structuredClone`. */
export function cloneJson<T>(value: T): DeepMutable<T> {
  return clone(value) as DeepMutable<T>;
}

function clone(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(clone);
  const copy: Record<string, unknown> = {};
  for (const [key, part] of Object.entries(value)) setOwn(copy, key, clone(part));
  return copy;
}

/** Assigning to `__proto__` would set the prototype: JSON may carry such a key, so it is defined instead. */
function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__")
    Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
  else target[key] = value;
}
