/** Makes a value that came from JSON unchangeable, through and through, so that readers can share it. */

/** Freezes a value and everything in it; which fields a manager owns is the server's bookkeeping, has as many shapes as there are objects, and stays as it is. */
export function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) for (const one of value) freeze(one);
  else for (const name in value) if (name !== "fieldsV1") freeze(value[name]);
  return Object.freeze(value);
}
