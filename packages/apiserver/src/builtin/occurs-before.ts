/** Whether an item of a list is there twice, for lists of any length: each list is gone through once. */

const repeats = new WeakMap<readonly unknown[], ReadonlySet<number>>();

/** Whether the item at this index is also at a lower one. Lists are not to change between two questions. */
export function occursBefore(list: readonly unknown[], index: number): boolean {
  let found = repeats.get(list);
  if (found === undefined) repeats.set(list, (found = repeatedIn(list)));
  return found.has(index);
}

function repeatedIn(list: readonly unknown[]): ReadonlySet<number> {
  const seen = new Set<unknown>();
  const found = new Set<number>();
  for (const [index, item] of list.entries()) {
    if (seen.has(item)) found.add(index);
    seen.add(item);
  }
  return found;
}
