/** Text in PostgreSQL, which cannot hold U+0000: it is written as two characters of a reversible escape. */

const escape = "\u0001";
const zero = "\u0000";

/** A text as it is stored. */
export function toStoredText(text: string): string {
  if (!text.includes(escape) && !text.includes(zero)) return text;
  return text.replaceAll(escape, `${escape}1`).replaceAll(zero, `${escape}0`);
}

/** The text again. */
export function fromStoredText(stored: string): string {
  if (!stored.includes(escape)) return stored;
  return stored.replaceAll(`${escape}0`, zero).replaceAll(`${escape}1`, escape);
}
