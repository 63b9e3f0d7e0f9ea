/** The subset of XML in S3 responses: elements without relevant attributes, escaped text. */

/** The text of the first element with that name; undefined if there is none. */
export function textOf(xml: string, name: string): string | undefined {
  const [first] = elementsOf(xml, name);
  return first === undefined ? undefined : unescape(first);
}

/** The content of all elements with that name. They do not nest in S3 responses. */
export function elementsOf(xml: string, name: string): string[] {
  const pattern = new RegExp(`<${name}(?:\\s[^>]*)?>([\\s\\S]*?)</${name}>`, "g");
  return [...xml.matchAll(pattern)].map(([, content = ""]) => content);
}

const SIGNS: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function unescape(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex?: string, decimal?: string, name?: string) => {
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    return SIGNS[name ?? ""] ?? whole;
  });
}
