/** Warning headers: what may stand in one, and how they are cut when there are too many of them. */

/** All warnings of an answer together may have so many characters; beyond that, each is cut. */
const mostCharacters = 4096;
const mostOfOne = 256;

/** The headers for warnings, in their order. A warning with control characters is left out, as nobody could send it. */
export function warningHeaders(warnings: Iterable<string>): string[] {
  const texts = [...warnings].filter((text) => text !== "").map((text) => ({ text, sendable: !control.test(text) }));
  const total = texts.reduce((sum, { text, sendable }) => sum + (sendable ? lengthOf(text) : 0), 0);
  if (total <= mostCharacters) return texts.filter(({ sendable }) => sendable).map(({ text }) => format(text));
  return cut(texts.filter(({ sendable }) => sendable).map(({ text }) => text));
}

const control = /\p{Cc}/u;

/** Cut warnings are sent until their characters are used up. */
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

/** Bytes of UTF-8 go into a header one by one. */
function format(text: string): string {
  const quoted = text.replaceAll(/["\\]/g, (character) => `\\${character}`);
  return `299 - "${Buffer.from(quoted, "utf8").toString("latin1")}"`;
}
