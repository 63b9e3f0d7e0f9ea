/** A terminal window with a number of columns: interprets escape sequences and shows what a user sees. */
export class Window {
  readonly #columns: number;
  #lines: string[] = [""];
  #row = 0;
  #column = 0;

  constructor(columns: number) {
    this.#columns = columns;
  }

  write(text: string): void {
    // Escapes that move the cursor or erase; colours and all others show nothing.
    for (const [piece, count = "", end] of text.matchAll(
      /\u001B\[\??([\d;]*)([a-zA-Z])|\r|\n|\u0007|[^\u001B\r\n\u0007]+/gu,
    )) {
      if (end !== undefined) this.#obey(end, count);
      else if (piece === "\n") this.#move(this.#row + 1, 0);
      else if (piece === "\r") this.#column = 0;
      else if (piece !== "\u0007") this.#put(piece);
    }
  }

  /** Every line, including those that scrolled away. */
  get text(): string {
    return Array.from(this.#lines, (line: string | undefined) => (line ?? "").trimEnd())
      .join("\n")
      .trimEnd();
  }

  #obey(end: string, count: string): void {
    const number = Number(count === "" ? 1 : count);
    if (end === "A") this.#row -= number;
    else if (end === "G") this.#column = number - 1;
    else if (end === "J") {
      this.#lines.length = this.#row + 1;
      this.#lines[this.#row] = this.#line().slice(0, this.#column);
    } else if (end === "K") this.#lines[this.#row] = this.#line().slice(0, this.#column);
  }

  #line(): string {
    return this.#lines[this.#row] ?? "";
  }

  #move(row: number, column: number): void {
    this.#row = row;
    this.#column = column;
    this.#lines[row] ??= "";
  }

  /** Longer lines wrap into the next row, as in a terminal. */
  #put(text: string): void {
    const letters = Array.from(text);
    while (letters.length > 0) {
      if (this.#column === this.#columns) this.#move(this.#row + 1, 0);
      const part = letters.splice(0, this.#columns - this.#column).join("");
      const line = this.#line().padEnd(this.#column);
      this.#lines[this.#row] = line.slice(0, this.#column) + part + line.slice(this.#column + part.length);
      this.#column += part.length;
    }
  }
}
