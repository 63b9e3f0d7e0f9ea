/** Base64 as Go's standard decoder reads it. */

/** The offset of the byte that Go's standard base64 decoder rejects; -1 if there is none. Line breaks are skipped but count. */
export function firstBadBase64(text: string): number {
  if (isCanonicalBase64(text)) return -1;
  const digits = /^[A-Za-z0-9+/\r\n]*/.exec(text)?.[0] ?? "";
  const place = digits.replaceAll(/[\r\n]/g, "").length % 4;
  const at = digits.length;
  if (at === text.length) return place === 0 ? -1 : at - place;
  if (text[at] !== "=" || place < 2) return at;
  return badPadding(text, at + 1, place);
}

/** The error after the first padding character: the second one is missing, or something follows. */
function badPadding(text: string, from: number, place: number): number {
  let next = skipBreaks(text, from);
  if (place === 2) {
    if (next === text.length) return text.length;
    if (text[next] !== "=") return next - 1;
    next = skipBreaks(text, next + 1);
  }
  return next < text.length ? next : -1;
}

function skipBreaks(text: string, from: number): number {
  let at = from;
  while (text[at] === "\n" || text[at] === "\r") at++;
  return at;
}

const canonical = /^[A-Za-z0-9+/]*(?:[A-Za-z0-9+/]{2}[A-Za-z0-9+/]?[AEIMQUYcgkosw048]=|[A-Za-z0-9+/][AQgw]==)?$/;

/** Whether the text is exactly what Go writes for its bytes: no line breaks, no bits beyond the last byte. */
export function isCanonicalBase64(text: string): boolean {
  return text.length % 4 === 0 && canonical.test(text);
}
