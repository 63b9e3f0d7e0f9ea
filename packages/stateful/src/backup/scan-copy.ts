/** Passes a copy of data on, hashes its rows, and finds its position. Lines of any length are handled in pieces. */
import { createHash } from "node:crypto";
import type { CopyScanner } from "../application.ts";

const HEAD = 512;
const NEWLINE = 10;

/** What a copy is, after its end. */
export class ScannedCopy {
  readonly #scanner: CopyScanner;
  readonly #hash = createHash("sha256");
  /** The line's beginning, until it is known whether the line has rows. */
  #head: Buffer = Buffer.alloc(0);
  #isRow: boolean | undefined;

  constructor(scanner: CopyScanner) {
    this.#scanner = scanner;
  }

  async *pass(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
    for await (const part of content) {
      this.#add(part);
      yield part;
    }
    this.#endLine();
  }

  /** sha256 of all lines with rows. */
  rows(): string {
    return this.#hash.copy().digest("hex");
  }

  position(): string | undefined {
    return this.#scanner.position();
  }

  #add(part: Buffer): void {
    for (let at = 0; at < part.length;) {
      const end = part.indexOf(NEWLINE, at);
      this.#addToLine(part.subarray(at, end < 0 ? part.length : end));
      if (end < 0) return;
      this.#endLine();
      at = end + 1;
    }
  }

  #addToLine(piece: Buffer): void {
    if (this.#isRow === true) this.#hash.update(piece);
    if (this.#isRow !== undefined) return;
    this.#head = Buffer.concat([this.#head, piece]);
    if (this.#head.length >= HEAD) this.#decide();
  }

  #decide(): void {
    this.#isRow = this.#scanner.isRow(this.#head.subarray(0, HEAD).toString("latin1"));
    if (this.#isRow) this.#hash.update(this.#head);
  }

  #endLine(): void {
    if (this.#isRow === undefined) this.#decide();
    if (this.#isRow === true) this.#hash.update("\n");
    this.#head = Buffer.alloc(0);
    this.#isRow = undefined;
  }
}
