/** How deep a text nests, told by its brackets: those inside of texts count, too, so it may be told too deep and never too shallow. */

/** Whether brackets stand inside of more than this many others. */
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
