/** Where a text stops being JSON, counted as Go counts it: in bytes, up to and with the first wrong one. */

/** The place of the first mistake. */
export interface JsonProblem {
  readonly at: number;
}

/** Deeper than this, nothing is an example of anything; Go gives up at ten times as much. */
const maxDepth = 1_000;

/** The first mistake of a text, or nothing. */
export function jsonProblem(text: string): JsonProblem | undefined {
  const tooDeep = depthProblem(text);
  if (tooDeep !== undefined) return tooDeep;
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return { at: wrongByte(text) };
  }
}

/** The bracket that opens one level too many; brackets in texts do not count. One pass, whatever the text. */
function depthProblem(text: string): JsonProblem | undefined {
  let [depth, inText] = [0, false];
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (inText && char === "\\") at++;
    else if (char === '"') inText = !inText;
    else if (!inText && (char === "[" || char === "{")) depth++;
    else if (!inText && (char === "]" || char === "}")) depth--;
    if (depth > maxDepth) return { at: Buffer.byteLength(text.slice(0, at)) + 1 };
  }
  return undefined;
}

/** Scans the text; where it simply ends too early, the place is its length. */
function wrongByte(text: string): number {
  const scanner = new Scanner(text);
  const at = scanner.value() ? scanner.end() : scanner.at;
  const wrong = Math.min(at, text.length);
  const before = Buffer.byteLength(text.slice(0, wrong));
  return wrong < text.length ? before + 1 : before;
}

/** A JSON recognizer: each method returns whether it matched and leaves `at` on the first character it could not consume. */
class Scanner {
  at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  value(): boolean {
    this.#space();
    switch (this.#text[this.at]) {
      case "{":
        return this.#members("}", () => this.#member());
      case "[":
        return this.#members("]", () => this.value());
      case '"':
        return this.#string();
      case "t":
        return this.#word("true");
      case "f":
        return this.#word("false");
      case "n":
        return this.#word("null");
      default:
        return this.#number();
    }
  }

  /** What follows the value must be nothing but space. */
  end(): number {
    this.#space();
    return this.at;
  }

  #space(): void {
    while (" \t\r\n".includes(this.#text[this.at] ?? "x")) this.at++;
  }

  #members(close: string, one: () => boolean): boolean {
    this.at++;
    this.#space();
    if (this.#text[this.at] === close) return this.#take(close);
    for (;;) {
      if (!one()) return false;
      this.#space();
      if (this.#text[this.at] === close) return this.#take(close);
      if (!this.#take(",")) return false;
      this.#space();
    }
  }

  #member(): boolean {
    this.#space();
    if (this.#text[this.at] !== '"' || !this.#string()) return false;
    this.#space();
    return this.#take(":") && this.value();
  }

  #string(): boolean {
    this.at++;
    for (;;) {
      const char = this.#text[this.at];
      if (char === undefined || char < " ") return false;
      this.at++;
      if (char === '"') return true;
      if (char === "\\" && !this.#escape()) return false;
    }
  }

  #escape(): boolean {
    const char = this.#text[this.at];
    if (char === undefined || !'"\\/bfnrtu'.includes(char)) return false;
    this.at++;
    if (char !== "u") return true;
    for (let digit = 0; digit < 4; digit++) {
      if (!/[0-9a-fA-F]/.test(this.#text[this.at] ?? "")) return false;
      this.at++;
    }
    return true;
  }

  #word(word: string): boolean {
    return Array.from(word).every((letter) => this.#take(letter));
  }

  #number(): boolean {
    if (this.#text[this.at] === "-") this.at++;
    if (this.#text[this.at] === "0") this.at++;
    else if (!this.#digits()) return false;
    if (this.#text[this.at] === ".") {
      this.at++;
      if (!this.#digits()) return false;
    }
    if (!/[eE]/.test(this.#text[this.at] ?? "")) return true;
    this.at++;
    if (/[+-]/.test(this.#text[this.at] ?? "")) this.at++;
    return this.#digits();
  }

  #digits(): boolean {
    const from = this.at;
    while (/[0-9]/.test(this.#text[this.at] ?? "")) this.at++;
    return this.at > from;
  }

  #take(char: string): boolean {
    if (this.#text[this.at] !== char) return false;
    this.at++;
    return true;
  }
}
