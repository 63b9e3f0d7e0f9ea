/** Texts as patterns. */

/** A pattern that means this text and nothing else. */
export function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
