/** Base64 as Go's standard decoder reads it. */

/** The offset of the first byte that Go's standard base64 decoder objects to; -1 when there is none. */
export function firstBadBase64(text: string): number {
  const plain = text.replaceAll(/[\r\n]/g, "");
  const match = /^[A-Za-z0-9+/]*/.exec(plain)?.[0].length ?? 0;
  const rest = plain.slice(match);
  const padding = (4 - (match % 4)) % 4;
  if (padding === 3) return match < plain.length ? match : plain.length - 1;
  if (rest === "=".repeat(padding)) return -1;
  if (rest === "") return plain.length;
  return rest.startsWith("=") && padding > 0 ? match + Math.min(padding, rest.length) : match;
}

const canonical = /^[A-Za-z0-9+/]*(?:[A-Za-z0-9+/]{2}[A-Za-z0-9+/]?[AEIMQUYcgkosw048]=|[A-Za-z0-9+/][AQgw]==)?$/;

/** Whether the text is what Go would write for the bytes that it reads from it: no breaks, no bits beyond the last byte. */
export function isCanonicalBase64(text: string): boolean {
  return text.length % 4 === 0 && canonical.test(text);
}
