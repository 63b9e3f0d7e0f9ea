/**
 * The nesting depth of a text, counted by brackets. Brackets in strings count as well, so the depth may be too large but never too small.
 */

/** Whether brackets nest deeper than this. */
export function nestsDeeper(text: string, deepest: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x5b || code === 0x7b) depth++;
    else if (code === 0x5d || code === 0x7d) depth--;
    if (depth > deepest) return true;
  }
  return false;
}
