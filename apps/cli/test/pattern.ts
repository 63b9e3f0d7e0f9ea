/** Regular expressions from texts. */

/** A pattern that matches exactly this text. */
export function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
