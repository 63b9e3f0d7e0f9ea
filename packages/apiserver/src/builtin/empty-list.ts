/** Lists that must be there and may be empty: the real server keeps an empty one as null. */

/** Turns an empty list into null. */
export function emptyAsNull(draft: object, field: string): void {
  const value: unknown = Reflect.get(draft, field);
  if (Array.isArray(value) && value.length === 0) Reflect.set(draft, field, null);
}
