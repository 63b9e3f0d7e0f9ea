/** Parses Kubernetes' dialect of JSONPath: a text template with paths, filters, unions and ranges in braces. */

/** One step of a path, or one piece of a template. */
export type PathNode =
  | { readonly kind: "list"; readonly nodes: readonly PathNode[] }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "field"; readonly name: string }
  | { readonly kind: "identifier"; readonly name: string }
  | {
      readonly kind: "slice";
      readonly start: number | undefined;
      readonly end: number | undefined;
      readonly derivedEnd: boolean;
      readonly step: number | undefined;
    }
  | {
      readonly kind: "filter";
      readonly left: PathNode;
      readonly right: PathNode | undefined;
      readonly operator: string;
    }
  | { readonly kind: "constant"; readonly value: number | boolean }
  | { readonly kind: "wildcard" }
  | { readonly kind: "recursive" }
  | { readonly kind: "union"; readonly lists: readonly PathNode[] };

/** A template or path that cannot be parsed or evaluated. */
export class JsonPathError extends Error {
  readonly code: "syntax" | "evaluation";

  constructor(code: "syntax" | "evaluation", message: string) {
    super(message);
    this.name = "JsonPathError";
    this.code = code;
  }
}

/** Parses a template such as `{.metadata.name}: {range .items[*]}{@}{end}`. */
export function parseJsonPath(text: string): readonly PathNode[] {
  return new Parser(text).parse();
}

function fail(message: string): never {
  throw new JsonPathError("syntax", message);
}

function parseAction(text: string): PathNode {
  const [first] = parseJsonPath(`{${text}}`);
  return first ?? fail("unclosed action");
}

const terminators: ReadonlySet<string> = new Set([" ", "\t", "\r", "\n", "", ".", ",", "[", "]", "$", "@", "{", "}"]);
const word = /^[_\p{L}\p{Nd}]$/u;
const digit = /^\p{Nd}$/u;

/** The position in the text during parsing. */
class Parser {
  private readonly characters: readonly string[];
  private position = 0;
  private start = 0;

  constructor(text: string) {
    this.characters = Array.from(text);
  }

  parse(): readonly PathNode[] {
    const nodes: PathNode[] = [];
    while (this.position < this.characters.length) {
      if (this.peek() === "{") this.parseBraces(nodes);
      else this.position++;
    }
    if (this.position > this.start) nodes.push({ kind: "text", text: this.consume() });
    return nodes;
  }

  private parseBraces(nodes: PathNode[]): void {
    if (this.position > this.start) nodes.push({ kind: "text", text: this.consume() });
    this.position++;
    this.consume();
    const inside: PathNode[] = [];
    nodes.push({ kind: "list", nodes: inside });
    while (!this.follows("}")) this.parseStep(inside);
    this.position++;
    this.consume();
  }

  private peek(): string {
    return this.characters[this.position] ?? "";
  }

  private next(): string {
    const character = this.peek();
    if (character !== "") this.position++;
    return character;
  }

  private follows(text: string): boolean {
    return this.characters.slice(this.position, this.position + text.length).join("") === text;
  }

  private consume(): string {
    const text = this.characters.slice(this.start, this.position).join("");
    this.start = this.position;
    return text;
  }

  private parseStep(nodes: PathNode[]): void {
    if (this.follows("[?(")) return this.parseFilter(nodes);
    if (this.follows("..")) return this.parseRecursive(nodes);
    const character = this.next();
    if (character === "" || character === "\r" || character === "\n") return fail("unclosed action");
    if (character === " " || character === "@" || character === "$") return void this.consume();
    if (character === "[") return this.parseArray(nodes);
    if (character === '"' || character === "'") return this.parseQuote(nodes, character);
    if (character === ".") return this.parseField(nodes);
    return this.parseWord(nodes, character);
  }

  private parseWord(nodes: PathNode[], character: string): void {
    this.position--;
    if (character === "+" || character === "-" || digit.test(character)) return this.parseNumber(nodes);
    if (word.test(character)) return this.parseIdentifier(nodes);
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    return fail(`unrecognized character in action: U+${code} '${character}'`);
  }

  private parseIdentifier(nodes: PathNode[]): void {
    while (!terminators.has(this.peek())) this.position++;
    const name = this.consume();
    if (name === "true" || name === "false") nodes.push({ kind: "constant", value: name === "true" });
    else nodes.push({ kind: "identifier", name });
  }

  private parseRecursive(nodes: PathNode[]): void {
    if (nodes.at(-1)?.kind === "recursive") fail("invalid multiple recursive descent");
    this.position += 2;
    this.consume();
    nodes.push({ kind: "recursive" });
    if (word.test(this.peek())) this.parseField(nodes);
  }

  private parseNumber(nodes: PathNode[]): void {
    if (this.peek() === "+" || this.peek() === "-") this.position++;
    while (this.peek() === "." || digit.test(this.peek())) this.position++;
    const text = this.consume();
    if (!/^[+-]?(\d+\.?\d*|\.\d+)$/.test(text)) fail(`cannot parse number ${text}`);
    nodes.push({ kind: "constant", value: Number(text) });
  }

  private parseArray(nodes: PathNode[]): void {
    for (let character = this.next(); character !== "]"; character = this.next())
      if (character === "" || character === "\n") fail("unterminated array");
    const text = this.consume().slice(1, -1);
    const parts = text.split(",");
    if (parts.length > 1) {
      const lists = parts.map((part) => parseAction(`[${part.replace(/^ +| +$/g, "")}]`));
      nodes.push({ kind: "union", lists });
      return;
    }
    const key = /^'([^']*)'$/.exec(text);
    if (key === null) nodes.push(parseSlice(text === "*" ? ":" : text));
    else {
      const action = parseAction(`.${key[1] ?? ""}`);
      if (action.kind === "list") nodes.push(...action.nodes);
    }
  }

  private parseFilter(nodes: PathNode[]): void {
    this.position += 3;
    this.consume();
    this.skipFilter();
    if (this.next() !== "]") fail("unclosed array expect ]");
    const text = this.consume().slice(0, -2);
    const match = /^([^!<>=]+)([!<>=]+)(.+?)$/.exec(text);
    if (match === null) nodes.push({ kind: "filter", left: parseAction(text), right: undefined, operator: "exists" });
    else
      nodes.push({
        kind: "filter",
        left: parseAction(match[1] ?? ""),
        right: parseAction(match[3] ?? ""),
        operator: match[2] ?? "",
      });
  }

  /** Moves behind the closing parenthesis; one inside of quotes does not count. */
  private skipFilter(): void {
    let open = "";
    let closed = false;
    for (;;) {
      const character = this.next();
      if (character === "" || character === "\n") fail("unterminated filter");
      if (character === '"' || character === "'") {
        if (open === "") open = character;
        else if (this.characters[this.position - 2] !== "\\" && character === open) closed = true;
      }
      if (character === ")" && (open !== "") === closed) return;
    }
  }

  private parseQuote(nodes: PathNode[], end: string): void {
    for (;;) {
      const character = this.next();
      if (character === "" || character === "\n") fail("unterminated quoted string");
      if (character === end && this.characters[this.position - 2] !== "\\") break;
    }
    const quoted = this.consume();
    nodes.push({ kind: "text", text: unquote(quoted.slice(1, -1), quoted) });
  }

  private parseField(nodes: PathNode[]): void {
    this.consume();
    while (!terminators.has(this.peek())) {
      if (this.next() === "\\") this.next();
    }
    const name = this.consume();
    nodes.push(name === "*" ? { kind: "wildcard" } : { kind: "field", name: name.replaceAll("\\", "") });
  }
}

function parseSlice(text: string): PathNode {
  const match = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/.exec(text);
  if (match === null) return fail(`invalid array index ${text}`);
  const [, first = "", second, third] = match;
  const start = first === "" ? undefined : integer(first);
  const step = third === undefined || third === ":" ? undefined : integer(third.slice(1));
  if (second === undefined) return { kind: "slice", start, end: (start ?? 0) + 1, derivedEnd: true, step };
  return { kind: "slice", start, end: second === ":" ? undefined : integer(second.slice(1)), derivedEnd: false, step };
}

function integer(text: string): number {
  return /^-?\d+$/.test(text) ? Number(text) : fail(`array index ${text} is not a number`);
}

const escapes: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
};

function unquote(text: string, quoted: string): string {
  return text.replace(
    /\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{3}|.)?/gsu,
    (_match, escape?: string) => {
      const plain = escape === undefined ? undefined : escapes[escape];
      if (plain !== undefined) return plain;
      if (escape === undefined || escape.length === 1) return fail(`unquote string ${quoted} error invalid syntax`);
      return String.fromCodePoint(/^[0-7]/.test(escape) ? parseInt(escape, 8) : parseInt(escape.slice(1), 16));
    },
  );
}
