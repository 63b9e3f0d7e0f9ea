/** Facts are kept as JSON text and parsed once, when they are first asked for. */

/** A function that parses a text when it is first called, and gives the same value ever after. */
export function parsedOnce<T>(text: string): () => T {
  let parsed: T | undefined;
  return () => (parsed ??= JSON.parse(text) as T);
}
