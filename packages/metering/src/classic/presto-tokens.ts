/** Cuts SQL into tokens. */
import { MeterError } from "../error.ts";

/** A token with the space before it. */
export interface Token {
  readonly type: "word" | "quoted" | "string" | "number" | "operator";
  readonly text: string;
  readonly space: string;
}

const token =
  /((?:\s|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*)(?:('(?:[^']|'')*')|("(?:[^"]|"")*")|([A-Za-z_][\w$]*)|((?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)|(<>|!=|>=|<=|\|\||->|=>|[-+*/%=<>(),.;[\]?:]))/y;

/** What may stand behind the last token. */
const rest = /(?:[\s;]|--[^\n]*(?:\n|$)|\/\*(?:[^*]|\*(?!\/))*\*\/)*$/y;

/** The tokens of a statement. */
export function tokensOf(sql: string): readonly Token[] {
  const tokens: Token[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < sql.length) {
    rest.lastIndex = token.lastIndex;
    if (rest.test(sql)) break;
    const at = token.lastIndex;
    const found = token.exec(sql);
    if (found === null)
      throw new MeterError(
        "BadSql",
        `the query cannot be read at ${JSON.stringify(sql.slice(at).trim().slice(0, 30))}`,
      );
    const [, space = "", string, quoted, word, number, operator] = found;
    if (string !== undefined) tokens.push({ type: "string", text: string, space });
    else if (quoted !== undefined) tokens.push({ type: "quoted", text: quoted, space });
    else if (word !== undefined) tokens.push({ type: "word", text: word, space });
    else if (number !== undefined) tokens.push({ type: "number", text: number, space });
    else if (operator !== undefined) tokens.push({ type: "operator", text: operator, space });
  }
  return tokens;
}

/** Tokens as SQL. */
export function sqlOf(tokens: readonly Token[]): string {
  return tokens.map(({ space, text }) => `${space.replaceAll(/--[^\n]*\n?/g, " ")}${text}`).join("");
}
