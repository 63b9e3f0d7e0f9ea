/** Renames an identifier in a source, and reports ambiguous places. */
import type { Token } from "./tokens.ts";

/** A piece of a text that becomes another. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A text with its pieces exchanged. */
export function withEdits(text: string, edits: readonly Edit[]): string {
  let made = "";
  let at = 0;
  for (const { start, end, text: fresh } of [...edits].sort((a, b) => a.start - b.start)) {
    made += text.slice(at, start) + fresh;
    at = end;
  }
  return made + text.slice(at);
}

/** The role of an identifier. */
type Role =
  /** A reference to the value. */
  | "value"
  /** `{ name }`: the value and a field of the same name. */
  | "both"
  /** It names a field. */
  | "field"
  /** It is listed in the braces of an import or an export. */
  | "listed"
  | "unclear";

/** After these a name is a value even if a colon follows. */
const operators: ReadonlySet<string> = new Set(
  "? + - * / % & | < > = ! ( [ : && || ?? ... == === != !== =>".split(" "),
);
const words: ReadonlySet<string> = new Set(
  "case const let var return typeof await yield new in of function class".split(" "),
);

function roleOf(tokens: readonly Token[], at: number): Role {
  const place = tokens[at]?.place;
  const [before, next, second] = [at - 1, at + 1, at + 2].map((index) => tokens[index]?.text ?? "");
  if (before === "." || before === "?.") return "field";
  if (place === "clause") return "listed";
  const mayBeField = place === "object" || place === "block";
  if (!mayBeField || operators.has(before ?? "") || words.has(before ?? "")) return "value";
  if (next === ":" || (next === "?" && second === ":")) return "field";
  return place === "object" ? roleInObject(next) : roleInBlock(next);
}

function roleInObject(next: string | undefined): Role {
  return next === "(" || next === "<" ? "field" : "both";
}

/** A call in a block looks like a method of a class. */
function roleInBlock(next: string | undefined): Role {
  return next === "(" || next === "<" || next === "=" || next === ";" ? "unclear" : "value";
}

/** Every edit that a new name needs; undefined where a place is unclear, or where the new name has a meaning already. */
export function renamesOf(tokens: readonly Token[], from: string, to: string): readonly Edit[] | undefined {
  const edits: Edit[] = [];
  for (const [at, token] of tokens.entries()) {
    if (token.sort !== "name" || (token.text !== from && token.text !== to)) continue;
    const role = roleOf(tokens, at);
    if (role === "field" || role === "listed") continue;
    if (role === "unclear" || token.text === to) return undefined;
    edits.push({ start: token.start, end: token.end, text: role === "both" ? `${from}: ${to}` : to });
  }
  return edits;
}
