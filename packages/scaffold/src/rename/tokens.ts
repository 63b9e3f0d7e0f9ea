/** Tokenizes a source enough to tell identifiers from strings and comments, with their context. */

/** The context of a token: a call or list, a block or class, an object or its type, or the braces of an import. */
export type Place = "top" | "group" | "block" | "object" | "clause" | "hole";

/** A token. Comments, spaces and the fixed parts of templates are not tokens. */
export interface Token {
  readonly sort: "name" | "string" | "other";
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly place: Place;
}

const space = /(?:\s|\/\/.*|\/\*[\s\S]*?\*\/)+/y;
const string = /"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'/y;
const name = /[\p{ID_Start}$_#@][\p{ID_Continue}$]*/uy;
const number = /\d[\w.]*/y;
const pattern = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const mark = /\.\.\.|=>|[=!]==?|\?\.(?!\d)|\?\?=?|&&|\|\||\S/y;
const template = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{|$)/y;

/** The tokens of a source, in order. */
export function tokensOf(source: string): readonly Token[] {
  return [...new Scan(source).tokens()];
}

/** Keywords after which braces hold an object or a value follows. */
const beforeValue: ReadonlySet<string> = new Set(
  "return const let var typeof case in of await yield new default extends as satisfies".split(" "),
);
const beforeObject: ReadonlySet<string> = new Set("= ( , : [ ? ... && || ?? < | & ! ??= ${".split(" "));

/** One walk through a source. */
class Scan {
  readonly #source: string;
  readonly #places: Place[] = ["top"];
  readonly #found: Token[] = [];
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  *tokens(): Generator<Token> {
    while (this.#at < this.#source.length) {
      if (this.#match(space) !== undefined) continue;
      const token = this.#next();
      this.#found.push(token);
      yield token;
    }
  }

  #next(): Token {
    const start = this.#at;
    const place = this.#places.at(-1) ?? "top";
    const make = (sort: Token["sort"], text: string): Token => ({ sort, text, start, end: this.#at, place });
    const text = this.#match(string);
    if (text !== undefined) return make("string", text);
    const word = this.#match(name);
    if (word !== undefined) return make("name", word);
    const rest = this.#match(number) ?? (this.#mayBePattern() ? this.#match(pattern) : undefined);
    return make("other", rest ?? this.#mark());
  }

  /** One mark; brackets and templates change the place. */
  #mark(): string {
    const text = this.#match(mark) ?? "";
    if (text === "`") return this.#template();
    if (text === "(" || text === "[") this.#places.push("group");
    if (text === "{") this.#places.push(this.#braces());
    if (text === ")" || text === "]" || text === "}") {
      const left = this.#places.length > 1 ? this.#places.pop() : undefined;
      if (left === "hole") return this.#template();
    }
    return text;
  }

  /** The fixed part of a template; an expression in it has its own context. */
  #template(): string {
    const part = this.#match(template) ?? "";
    if (!part.endsWith("${")) return "`";
    this.#places.push("hole");
    return "${";
  }

  #braces(): Place {
    const [before, last] = [this.#found.at(-2)?.text, this.#found.at(-1)?.text];
    const isClause = (text: string | undefined): boolean => text === "import" || text === "export";
    if (isClause(last) || (last === "type" && isClause(before))) return "clause";
    if (last === "," && isClause(this.#found.at(-3)?.text)) return "clause";
    return last !== undefined && (beforeObject.has(last) || beforeValue.has(last)) ? "object" : "block";
  }

  /** After a value, a slash divides. */
  #mayBePattern(): boolean {
    const last = this.#found.at(-1);
    if (last === undefined) return true;
    if (last.sort === "name") return beforeValue.has(last.text);
    return last.sort === "other" && !/^[)\]}`\d]/.test(last.text);
  }

  #match(expression: RegExp): string | undefined {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#source)?.[0];
    if (found === undefined || found === "") return undefined;
    this.#at += found.length;
    return found;
  }
}
