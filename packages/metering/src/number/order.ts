/** The order of text: by code point, as UTF-8 bytes sort, not by UTF-16 unit. */

const surrogateStart = 0xd800;

/** Compares two texts by code point. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

/** Units at the first difference: surrogates stand for code points above all others. */
function rank(unit: number): number {
  return unit >= surrogateStart && unit < 0xe000 ? unit + 0x10000 : unit;
}

/** Compares lists of texts element by element. */
export function compareKeys(a: readonly string[], b: readonly string[]): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const order = compareText(a[at] ?? "", b[at] ?? "");
    if (order !== 0) return order;
  }
  return a.length - b.length;
}
