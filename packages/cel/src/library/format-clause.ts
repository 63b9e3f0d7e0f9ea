/** The clauses of a format string: `%s`, `%.3f`, `%x` and the errors of others. */

/** One clause or a stretch of text between clauses. */
export type FormatPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "clause"; readonly verb: Verb; readonly precision: number | undefined };

export type Verb = "s" | "d" | "f" | "e" | "b" | "x" | "X" | "o";

/** Why a format string cannot be used. */
export class FormatError extends Error {
  override readonly name = "FormatError";
}

const VERBS: ReadonlySet<string> = new Set(["s", "d", "f", "e", "b", "x", "X", "o"]);
const CLAUSE = /%(?:%|(\.(\d*))?([^]?))/gu;

/** Iterates over a format string; each clause is passed on with its number before the next one is read. */
export function eachPart(format: string, args: number, take: (part: FormatPart, index: number) => void): void {
  let last = 0;
  let index = 0;
  for (const found of format.matchAll(CLAUSE)) {
    take({ kind: "text", text: format.slice(last, found.index) }, index);
    last = found.index + found[0].length;
    if (found[0] === "%%") {
      take({ kind: "text", text: "%" }, index);
      continue;
    }
    if (index >= args) throw new FormatError(`index ${index} out of range`);
    take(readClause(found), index++);
  }
  take({ kind: "text", text: format.slice(last) }, index);
}

function readClause(found: RegExpExecArray): FormatPart {
  const [whole, dotted, digits = "", verb = ""] = found;
  if (whole === "%") throw new FormatError("unexpected end of string");
  if (dotted !== undefined && verb === "") throw precisionError("could not find end of precision specifier");
  if (dotted !== undefined && digits === "") {
    throw precisionError('error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax');
  }
  if (!VERBS.has(verb))
    throw new FormatError(`could not parse formatting clause: unrecognized formatting clause "${verb}"`);
  return { kind: "clause", verb: verb as Verb, precision: dotted === undefined ? undefined : Number(digits) };
}

function precisionError(reason: string): FormatError {
  return new FormatError(`could not parse formatting clause: error while parsing precision: ${reason}`);
}

const COMPLAINTS: Record<Verb, string> = {
  s: "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps",
  d: "decimal clause can only be used on integers",
  f: "fixed-point clause can only be used on doubles",
  e: "scientific clause can only be used on doubles",
  b: "only integers and bools can be formatted as binary",
  x: "only integers, byte buffers, and strings can be formatted as hex",
  X: "only integers, byte buffers, and strings can be formatted as hex",
  o: "octal clause can only be used on integers",
};

/** The error of a value that a clause cannot format. */
export function clauseError(verb: Verb, typeName: string): FormatError {
  return new FormatError(`error during formatting: ${COMPLAINTS[verb]}, was given ${typeName}`);
}
