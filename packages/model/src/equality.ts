/** Whether two JSON values are the same, whatever the order of their fields. */

/** Deep equality of JSON values; a field that is undefined counts as absent. */
export function isDeepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && areItemsEqual(a, b);
  return !Array.isArray(b) && areFieldsEqual(a as Fields, b as Fields);
}

type Fields = { readonly [key: string]: unknown };

function areItemsEqual(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) {
    if (!isDeepEqual(a[i], b[i])) return false;
  }
  return true;
}

function areFieldsEqual(a: Fields, b: Fields): boolean {
  let present = 0;
  for (const key in a) {
    if (a[key] === undefined) continue;
    if (!Object.hasOwn(b, key) || !isDeepEqual(a[key], b[key])) return false;
    present++;
  }
  for (const key in b) {
    if (b[key] !== undefined) present--;
  }
  return present === 0;
}
