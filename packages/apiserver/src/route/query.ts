/** Parses query strings as Go does: malformed pairs are dropped. */

const empty = new URLSearchParams();

/** Splits path and query of a request target. */
export function splitUrl(url: string): { path: string; query: URLSearchParams } {
  const mark = url.indexOf("?");
  if (mark < 0) return { path: url, query: empty };
  return { path: url.slice(0, mark), query: parseQuery(url.slice(mark + 1)) };
}

/** Parses a query. */
export function parseQuery(text: string): URLSearchParams {
  if (text === "") return empty;
  if (!text.includes("%") && !text.includes(";")) return new URLSearchParams(text);
  const sound = text.split("&").filter((pair) => !pair.includes(";") && !/%(?![0-9a-fA-F]{2})/.test(pair));
  return new URLSearchParams(sound.join("&"));
}
