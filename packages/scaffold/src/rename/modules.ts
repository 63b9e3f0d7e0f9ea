/** The imports and exports of a source: their names and files. */
import { posix } from "node:path";
import type { Token } from "./tokens.ts";

/** One name in the braces of an import or export. */
export interface Listed {
  readonly token: Token;
  /** The local name after `as`. */
  readonly as: string | undefined;
}

/** The braces of an import or export. */
export interface Clause {
  readonly verb: "import" | "export";
  /** The file from the project root; undefined for a local export. */
  readonly from: string | undefined;
  readonly listed: readonly Listed[];
}

/** The clauses of a source. */
export function clausesOf(tokens: readonly Token[], path: string): readonly Clause[] {
  const clauses: Clause[] = [];
  for (let at = 0; at < tokens.length; at++) {
    if (tokens[at]?.place !== "clause" || tokens[at - 1]?.place === "clause") continue;
    const end = tokens.findIndex((token, index) => index >= at && token.text === "}" && token.place === "clause");
    clauses.push(clauseAt(tokens, { start: at, end: end < 0 ? tokens.length : end }, path));
    at = end < 0 ? tokens.length : end;
  }
  return clauses;
}

function clauseAt(tokens: readonly Token[], { start, end }: { start: number; end: number }, path: string): Clause {
  const opening = tokens.slice(Math.max(0, start - 4), start).map(({ text }) => text);
  const source = tokens[end + 1]?.text === "from" ? tokens[end + 2] : undefined;
  return {
    verb: opening.includes("import") ? "import" : "export",
    from: source === undefined ? undefined : fileMeant(source.text, path),
    listed: listedIn(tokens.slice(start, end)),
  };
}

function listedIn(tokens: readonly Token[]): readonly Listed[] {
  return tokens.flatMap((token, at) => {
    const before = tokens[at - 1]?.text;
    const isKeyword = token.text === "type" && tokens[at + 1]?.sort === "name" && tokens[at + 1]?.text !== "as";
    if (token.sort !== "name" || token.text === "as" || before === "as" || isKeyword) return [];
    return [{ token, as: tokens[at + 1]?.text === "as" ? tokens[at + 2]?.text : undefined }];
  });
}

/** The file that a text in quotes means: by a relative path, or by one from the root of the project. */
export function fileMeant(quoted: string, path: string): string {
  const text = quoted.slice(1, -1);
  const file = /^\.\.?\//.test(text) ? posix.join(posix.dirname(path), text) : text;
  return file.replace(/^(src\/.*)\.js$/, "$1.ts");
}
