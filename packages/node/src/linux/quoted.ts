/** Shell quoting. Pure. */

/** A text as one shell word. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
