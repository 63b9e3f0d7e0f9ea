/** Dimensions as they are stored: canonical JSON, read once for equal texts. */

const known = new Map<string, ReadonlyMap<string, string>>();
const mostKnown = 100_000;

/** Dimensions from canonical JSON. */
export function parseDimensions(text: string): ReadonlyMap<string, string> {
  const found = known.get(text);
  if (found !== undefined) return found;
  if (known.size >= mostKnown) known.clear();
  const values = new Map(Object.entries(JSON.parse(text) as { readonly [name: string]: string }));
  known.set(text, values);
  return values;
}
