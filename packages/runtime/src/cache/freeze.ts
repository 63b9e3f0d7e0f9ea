/** Freezes a value from JSON deeply, so that readers can share it. */

/** Freezes a value and everything in it, except `fieldsV1` of managed fields: it has as many object shapes as there are objects. */
export function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) for (const one of value) freeze(one);
  else for (const name in value) if (name !== "fieldsV1") freeze(value[name]);
  return Object.freeze(value);
}
