/** URLs as Go parses and formats them: another server receives them in this form. */

/** Parses and formats a path and a query: escaped slashes are unescaped, and invalid parameters are dropped. */
export function rewriteUrl(url: string): string {
  const question = url.indexOf("?");
  if (question < 0) return rewritePath(url);
  const query = rewriteQuery(url.slice(question + 1));
  return `${rewritePath(url.slice(0, question))}${query === "" ? "" : `?${query}`}`;
}

function rewritePath(path: string): string {
  return escapePath(unescape(path));
}

/** Escapes the bytes of a path as Go's `URL.EscapedPath` does. */
export function escapePath(bytes: string): string {
  return escape(bytes, /[\w.~$&+,/:;=@-]/);
}

/** Resolves `.`, `..` and empty segments of a path from the root, as Go's `path.Clean` does; a slash at the end stays. Takes linear time. */
export function cleanPath(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "..") kept.pop();
    else if (segment !== "" && segment !== ".") kept.push(segment);
  }
  return kept.length > 0 && path.endsWith("/") ? `/${kept.join("/")}/` : `/${kept.join("/")}`;
}

/** Sorted by key; values of one key keep their order. */
function rewriteQuery(query: string): string {
  const read = query.split("&").flatMap((part): [string, string][] => {
    if (part === "" || part.includes(";") || badEscape.test(part)) return [];
    const equals = part.indexOf("=");
    const [key, value] = equals < 0 ? [part, ""] : [part.slice(0, equals), part.slice(equals + 1)];
    return [[unescape(key.replaceAll("+", " ")), unescape(value.replaceAll("+", " "))]];
  });
  const sorted = read.toSorted(([a], [b]) => (a === b ? 0 : a < b ? -1 : 1));
  return sorted.map(([key, value]) => `${escapeWord(key)}=${escapeWord(value)}`).join("&");
}

const badEscape = /%(?![0-9a-fA-F]{2})/;

function escapeWord(word: string): string {
  return escape(word, /[\w.~ -]/).replaceAll(" ", "+");
}

/** Decodes percent escapes once. The result has one character for each byte, because escaped bytes need not be UTF-8. */
export function unescape(text: string): string {
  const bytes = Buffer.from(text, "utf8").toString("latin1");
  return bytes.replaceAll(/%([0-9a-fA-F]{2})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

function escape(bytes: string, kept: RegExp): string {
  const letters = bytes.split("").map((letter) => {
    if (kept.test(letter)) return letter;
    return `%${letter.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
  });
  return letters.join("");
}
