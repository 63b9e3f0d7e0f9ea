/** Line ends: those of a user's file are the user's business, so what is compared with it or put into it ends its lines alike. */

/** A text whose lines end as most lines of another do. */
export function endedLike(model: string, text: string): string {
  return hasWindowsEnds(model) ? text.replaceAll(/\r?\n/g, "\r\n") : text;
}

function hasWindowsEnds(text: string): boolean {
  const all = text.split("\n").length - 1;
  return all > 0 && (text.split("\r\n").length - 1) * 2 > all;
}
