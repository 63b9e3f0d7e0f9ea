/** The subset of XML in S3 responses: elements without relevant attributes, escaped text. */

/** The text of the first element with that name; undefined if there is none. */
export function textOf(xml: string, name: string): string | undefined {
  const { value, done } = elementsIn(xml, name).next();
  return done === true ? undefined : unescape(value);
}

/** The content of all elements with that name. They do not nest in S3 responses. */
export function elementsOf(xml: string, name: string): string[] {
  return [...elementsIn(xml, name)];
}

/** Looks only forward, so the time grows with the length of the text, whatever a hostile store sends. */
function* elementsIn(xml: string, name: string): Generator<string, undefined, undefined> {
  const [start, end] = [`<${name}`, `</${name}>`];
  for (let at = xml.indexOf(start); at >= 0; at = xml.indexOf(start, at)) {
    at += start.length;
    if (!/[\s>]/.test(xml.charAt(at))) continue;
    const opened = xml.indexOf(">", at) + 1;
    const closed = opened === 0 ? -1 : xml.indexOf(end, opened);
    if (closed < 0) return undefined;
    yield xml.slice(opened, closed);
    at = closed + end.length;
  }
  return undefined;
}

const SIGNS: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function unescape(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex?: string, decimal?: string, name?: string) => {
    if (hex !== undefined) return charOf(Number.parseInt(hex, 16)) ?? whole;
    if (decimal !== undefined) return charOf(Number(decimal)) ?? whole;
    return SIGNS[name ?? ""] ?? whole;
  });
}

function charOf(code: number): string | undefined {
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}
