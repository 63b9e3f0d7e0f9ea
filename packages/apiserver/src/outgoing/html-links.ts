/** Rewrites links in HTML: only start tags with addresses change, all other bytes stay. */

/** The attributes that contain an address, by element. */
const addresses: { readonly [element: string]: readonly string[] } = {
  a: ["href"],
  applet: ["codebase"],
  area: ["href"],
  audio: ["src"],
  base: ["href"],
  blockquote: ["cite"],
  body: ["background"],
  button: ["formaction"],
  command: ["icon"],
  del: ["cite"],
  embed: ["src"],
  form: ["action"],
  frame: ["longdesc", "src"],
  head: ["profile"],
  html: ["manifest"],
  iframe: ["longdesc", "src"],
  img: ["longdesc", "src", "usemap"],
  input: ["src", "usemap", "formaction"],
  ins: ["cite"],
  link: ["href"],
  object: ["classid", "codebase", "data", "usemap"],
  q: ["cite"],
  script: ["src"],
  source: ["src"],
  video: ["poster", "src"],
};

/** Elements that contain raw text up to their end tag. */
const textual = new Set([
  "iframe",
  "noembed",
  "noframes",
  "noscript",
  "plaintext",
  "script",
  "style",
  "textarea",
  "title",
  "xmp",
]);

/** The number of characters that are read between two yields. */
const charactersPerTurn = 64 * 1024;

/** A tag with more attributes is hostile, and ends the rewriting. */
const mostAttributes = 1000;

/**
 * The page with every address passed through a function, in one pass. An unclosed tag ends the rewriting. The generator yields regularly
 * so that other work can run.
 */
export function* rewriteLinks(html: string, rewrite: (address: string) => string): Generator<undefined, string> {
  let result = "";
  let kept = 0;
  let turn = charactersPerTurn;
  for (let at = html.indexOf("<"); at >= 0; at = html.indexOf("<", at)) {
    if (at >= turn) {
      turn = at + charactersPerTurn;
      yield;
    }
    const [opening, name] = matchAt(tagName, html, at) ?? [];
    if (opening === undefined || name === undefined) {
      at = endOfOther(html, at);
      continue;
    }
    const tag = readStartTag(html, at + opening.length, toLower(name));
    if (tag === undefined) break;
    result += html.slice(kept, at) + formatTag(tag, rewrite);
    kept = tag.end;
    at = textual.has(tag.element) ? endOfText(html, tag.end, tag.element) : tag.end;
  }
  return result + html.slice(kept);
}

interface StartTag {
  readonly element: string;
  readonly attributes: readonly (readonly [name: string, value: string])[];
  readonly isClosed: boolean;
  /** The position after the tag. */
  readonly end: number;
}

const tagName = /<([a-zA-Z][^ \n\r\t\f/>]*)/y;
const gap = /[ \n\r\t\f/]*/y;
const attributeName = /=?[^ \n\r\t\f/=>]*/y;
const attributeValue = /[ \n\r\t\f]*=[ \n\r\t\f]*(?:"([^"]*)"|'([^']*)'|([^ \n\r\t\f>"'][^ \n\r\t\f>]*)?)/y;

/** Reads the start tag after its name; `undefined` if the page ends first, or if it has too many attributes. */
function readStartTag(html: string, start: number, element: string): StartTag | undefined {
  const attributes: [string, string][] = [];
  let at = start;
  for (;;) {
    const between = matchAt(gap, html, at)?.[0] ?? "";
    at += between.length;
    if (at >= html.length || attributes.length > mostAttributes) return undefined;
    if (html[at] === ">") {
      return { element, attributes, isClosed: between.endsWith("/"), end: at + 1 };
    }
    const { key, value, end } = readAttribute(html, at);
    attributes.push([key, value]);
    at = end;
  }
}

function readAttribute(html: string, at: number): { key: string; value: string; end: number } {
  const key = matchAt(attributeName, html, at)?.[0] ?? "";
  const [whole = "", double, single, bare] = matchAt(attributeValue, html, at + key.length) ?? [];
  return { key: toLower(key), value: decode(double ?? single ?? bare ?? ""), end: at + key.length + whole.length };
}

/** Lowers ASCII letters only, because the page is read as bytes. */
function toLower(name: string): string {
  return name.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function formatTag({ element, attributes, isClosed }: StartTag, rewrite: (address: string) => string): string {
  const linked = Object.hasOwn(addresses, element) ? (addresses[element] ?? []) : [];
  const written = attributes.map(([name, value]) => {
    return ` ${name}="${encode(linked.includes(name) ? rewrite(value) : value)}"`;
  });
  return `<${element}${written.join("")}${isClosed ? "/" : ""}>`;
}

/** The end of a comment, of an end tag, or of a literal `<`. */
function endOfOther(html: string, start: number): number {
  const closing = html.startsWith("<!--", start) ? "-->" : /[!?/]/.test(html[start + 1] ?? "") ? ">" : "<";
  const end = html.indexOf(closing, start + closing.length - 1);
  return end < 0 ? html.length : end + closing.length;
}

function endOfText(html: string, from: number, element: string): number {
  if (element === "plaintext") return html.length;
  const end = new RegExp(`</${element}[\\s/>]`, "gi");
  end.lastIndex = from;
  return end.exec(html)?.index ?? html.length;
}

const named: { readonly [name: string]: string } = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Decodes the character references that matter in addresses. Others are kept, which means the same. */
function decode(text: string): string {
  return text.replaceAll(/&(?:#(\d+)|#[xX]([0-9a-fA-F]+)|(amp|lt|gt|quot|apos));/g, (_, decimal, hex, name) => {
    if (name !== undefined) return named[name as string] ?? "";
    return bytesOf(decimal === undefined ? Number.parseInt(hex as string, 16) : Number(decimal));
  });
}

/** A character in UTF-8, one character for each byte, as the page is read. Invalid numbers become U+FFFD, as in browsers. */
function bytesOf(number: number): string {
  const isCharacter = number > 0 && number <= 0x10_ff_ff && (number < 0xd8_00 || number > 0xdf_ff);
  return Buffer.from(String.fromCodePoint(isCharacter ? number : 0xff_fd), "utf8").toString("latin1");
}

const escapes: { readonly [character: string]: string } = {
  "&": "&amp;",
  "'": "&#39;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&#34;",
  "\r": "&#13;",
};

function encode(text: string): string {
  return text.replaceAll(/[&'<>"\r]/g, (character) => escapes[character] ?? character);
}
