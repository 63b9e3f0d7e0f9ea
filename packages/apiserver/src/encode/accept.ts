/** Parses Accept headers. */

export interface AcceptClause {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
  readonly parameters: ReadonlyMap<string, string>;
}

/** The clauses of an Accept header by descending preference. Invalid clauses are skipped. */
export function parseAccept(header: string): readonly AcceptClause[] {
  const clauses = header.split(",").flatMap((text) => parseClause(text) ?? []);
  return clauses.sort(compareClauses);
}

function parseClause(text: string): AcceptClause | undefined {
  const [media = "", ...rest] = text.split(";");
  const [type = "", subtype, ...more] = media.trim().split("/");
  if (type === "" || more.length > 0 || (subtype === undefined && type !== "*")) return undefined;
  const parameters = new Map<string, string>();
  let quality = 1;
  for (const parameter of rest) {
    const equals = parameter.indexOf("=");
    if (equals < 0) continue;
    const name = parameter.slice(0, equals).trim();
    const value = parameter.slice(equals + 1).trim();
    if (name === "q") quality = Number.isNaN(Number(value)) ? 1 : Number(value);
    else parameters.set(name, value);
  }
  return { type, subtype: subtype ?? "*", quality, parameters };
}

function compareClauses(a: AcceptClause, b: AcceptClause): number {
  if (a.quality !== b.quality) return b.quality - a.quality;
  if (a.type !== b.type) return a.type === "*" ? 1 : b.type === "*" ? -1 : 0;
  if (a.subtype !== b.subtype) return a.subtype === "*" ? 1 : b.subtype === "*" ? -1 : 0;
  return 0;
}
