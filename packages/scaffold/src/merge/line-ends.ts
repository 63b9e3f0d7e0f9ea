/** Line ends: compared or inserted text uses the line ends of the user's file. */

/** A text with the predominant line ends of another. */
export function endedLike(model: string, text: string): string {
  return hasWindowsEnds(model) ? text.replaceAll(/\r?\n/g, "\r\n") : text;
}

function hasWindowsEnds(text: string): boolean {
  const all = text.split("\n").length - 1;
  return all > 0 && (text.split("\r\n").length - 1) * 2 > all;
}
