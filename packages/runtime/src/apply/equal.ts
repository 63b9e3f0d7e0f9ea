/** Whether two JSON values are equal, regardless of field order; undefined fields count as absent. */

export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) return Array.isArray(a) && Array.isArray(b) && sameItems(a, b);
  return sameFields(a as Fields, b as Fields);
}

interface Fields {
  readonly [name: string]: unknown;
}

function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, at) => isEqual(item, b[at]));
}

function sameFields(a: Fields, b: Fields): boolean {
  for (const name in a) if (!isEqual(a[name], b[name])) return false;
  for (const name in b) if (b[name] !== undefined && a[name] === undefined) return false;
  return true;
}
