/** Warning headers: their encoding and their total length. */

/** The maximum number of characters of all warnings of a response; beyond that, each one is truncated. */
const mostCharacters = 4096;
const mostOfOne = 256;

/** The headers for warnings, in order. A warning with control characters is dropped, because a header cannot contain them. */
export function warningHeaders(warnings: Iterable<string>): string[] {
  const texts = [...warnings].filter((text) => text !== "").map((text) => ({ text, sendable: !control.test(text) }));
  const total = texts.reduce((sum, { text, sendable }) => sum + (sendable ? lengthOf(text) : 0), 0);
  if (total <= mostCharacters) return texts.filter(({ sendable }) => sendable).map(({ text }) => format(text));
  return cut(texts.filter(({ sendable }) => sendable).map(({ text }) => text));
}

const control = /\p{Cc}/u;

/** Truncated warnings are sent until the total length is reached. */
function cut(texts: readonly string[]): string[] {
  const headers: string[] = [];
  let written = 0;
  for (const text of texts) {
    if (written >= mostCharacters) break;
    const short = Array.from(text).slice(0, mostOfOne).join("");
    written += lengthOf(short);
    headers.push(format(short));
  }
  return headers;
}

function lengthOf(text: string): number {
  return Array.from(text).length;
}

/** A header carries the bytes of UTF-8. */
function format(text: string): string {
  const quoted = text.replaceAll(/["\\]/g, (character) => `\\${character}`);
  return `299 - "${Buffer.from(quoted, "utf8").toString("latin1")}"`;
}
