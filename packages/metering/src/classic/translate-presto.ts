/** Translates the SQL of Presto that report queries are written in to that of DuckDB; what it cannot is refused by name. */
import { MeterError } from "../error.ts";
import { translationOf } from "./presto-functions.ts";
import { sqlOf, type Token, tokensOf } from "./presto-tokens.ts";

/** Words before a parenthesis that are no functions. */
const keywords = new Set(
  (
    "all and any array as between by case cast current_timestamp distinct else end except exists filter from group grouping having in " +
    "intersect interval is join lateral like limit not on or order over partition position rows select sets some then try_cast union " +
    "unnest using values when where with cube rollup extract decimal varchar char timestamp time double bigint integer map row left right inner"
  ).split(" "),
);

/** What only Presto has, with no equal here. */
const refused: { readonly [word: string]: string } = {
  tablesample: "TABLESAMPLE",
  match_recognize: "MATCH_RECOGNIZE",
};

/** The same query for DuckDB. */
export function translatePresto(sql: string): string {
  const tokens = tokensOf(sql);
  const [first] = tokens;
  if (first === undefined || !/^(select|with|values|\()$/i.test(first.text))
    throw new MeterError("BadSql", "a report query must be a SELECT");
  if (tokens.some(({ text }) => text === ";")) throw new MeterError("BadSql", "a report query is one statement");
  return translate(tokens);
}

function translate(tokens: readonly Token[]): string {
  const parts: string[] = [];
  // The names of WITH and of tables with columns, as in `t (a, b)`, are no calls.
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token === undefined) break;
    const word = token.type === "word" ? token.text.toLowerCase() : "";
    if (Object.hasOwn(refused, word)) throw new MeterError("BadSql", `${refused[word]} of Presto is not translated`);
    const isCall = word !== "" && tokens[at + 1]?.text === "(" && !keywords.has(word) && !isNamed(tokens, at);
    if (!isCall) {
      parts.push(sqlOf([token]));
      continue;
    }
    const end = closing(tokens, at + 1);
    const inside = tokens.slice(at + 2, end);
    parts.push(spaceOf(token), call(token.text, inside));
    at = end;
  }
  return parts.join("");
}

function spaceOf(token: Token): string {
  return sqlOf([{ ...token, text: "" }]);
}

/** `WITH t (a) AS`, `AS t (a)` and `) t (a)` give names to columns. */
function isNamed(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1]?.text.toLowerCase() ?? "";
  if (before === "as" || before === ")") return true;
  const after = tokens[closing(tokens, at + 1) + 1]?.text.toLowerCase();
  return (before === "with" || before === ",") && after === "as" && tokens[closing(tokens, at + 1) + 2]?.text === "(";
}

function closing(tokens: readonly Token[], from: number): number {
  let depth = 0;
  for (let at = from; at < tokens.length; at += 1) {
    if (tokens[at]?.text === "(") depth += 1;
    if (tokens[at]?.text === ")" && --depth === 0) return at;
  }
  throw new MeterError("BadSql", "a parenthesis of the query is not closed");
}

function call(name: string, inside: readonly Token[]): string {
  const translation = translationOf(name);
  if (translation === undefined)
    throw new MeterError("BadSql", `the function ${name} of Presto is not translated; write the query without it`);
  const given = inside.length === 0 ? [] : separated(inside).map((one) => translate(one).trim());
  const made = translation(given);
  if (made === undefined)
    throw new MeterError(
      "BadSql",
      `the function ${name} of Presto is not translated with ${given.length} such arguments`,
    );
  return made;
}

function separated(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const parts: Token[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    if (token.text === "(" || token.text === "[") depth += 1;
    if (token.text === ")" || token.text === "]") depth -= 1;
    if (token.text === "," && depth === 0) parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts;
}
