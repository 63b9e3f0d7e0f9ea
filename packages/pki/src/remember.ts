/** Keeps the latest results of a pure function: an operator reads the same few certificates in every reconcile. */

/** Longer texts are not kept, so that memory is bounded. */
const longest = 16_384;

export function remember<Result>(most: number, compute: (text: string) => Result): (text: string) => Result {
  const results = new Map<string, Result>();
  return (text) => {
    if (text.length > longest) return compute(text);
    const known = results.get(text);
    if (known !== undefined) {
      // The least recently used result is the first of the map.
      results.delete(text);
      results.set(text, known);
      return known;
    }
    const result = compute(text);
    results.set(text, result);
    for (const oldest of results.keys()) {
      if (results.size <= most) break;
      results.delete(oldest);
    }
    return result;
  };
}
