/** Finds duplicates in a list in linear time: the result for each list is cached. */

const repeats = new WeakMap<readonly unknown[], ReadonlySet<number>>();

/** Whether the item at this index also occurs at a lower one. The list must not change between calls. */
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
