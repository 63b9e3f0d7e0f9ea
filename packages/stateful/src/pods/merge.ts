/**
 * Merges the user's pod template onto the generated one: objects field by field, lists of named items by name, everything else is
 * replaced.
 */

/** An object with any fields. */
type Tree = { readonly [field: string]: unknown };

/**
 * Merges a value onto another one.
 *
 * @example
 * const merged = merge({ a: 1 }, { b: 2 });
 */
export function merge(base: unknown, over: unknown): unknown {
  if (over === undefined) return base;
  if (isTree(base) && isTree(over)) return mergeTrees(base, over);
  if (Array.isArray(base) && Array.isArray(over) && [...base, ...over].every(isNamed)) return mergeNamed(base, over);
  return over;
}

/**
 * Merges an object onto another one.
 *
 * @example
 * const { a, b } = mergeTrees({ a: 1 }, { b: 2 });
 */
export function mergeTrees(base: Tree, over: Tree): Tree {
  const merged: { [field: string]: unknown } = { ...base };
  for (const [field, value] of Object.entries(over)) merged[field] = merge(base[field], value);
  return merged;
}

function mergeNamed(base: readonly Named[], over: readonly Named[]): unknown[] {
  const recordedState = base.map((item) =>
    merge(
      item,
      over.find(({ name }) => name === item.name),
    ),
  );
  const fresh = over.filter(({ name }) => !base.some((item) => item.name === name));
  return [...recordedState, ...fresh];
}

interface Named extends Tree {
  readonly name: string;
}

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isNamed(value: unknown): value is Named {
  return isTree(value) && typeof value["name"] === "string";
}
