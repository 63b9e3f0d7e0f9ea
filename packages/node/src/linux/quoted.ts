/** Words of a shell. Pure. */

/** A text as one word. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
