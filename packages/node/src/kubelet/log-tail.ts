/**
 * Reads a log from where the last read stopped, across rotations: it keeps the file open, and continues with the next one only when that
 * exists and the open one has been read to its end.
 */
import { open, stat, type FileHandle } from "node:fs/promises";
import { StringDecoder } from "node:string_decoder";
import { asideOf, usualLimits } from "../linux/shim/log-file.ts";

/** The most bytes that are read at once: other requests are served between two pieces. */
const pieceBytes = 256 * 1024;

/** Reads a log from its beginning. */
export class LogTail implements AsyncDisposable {
  readonly #path: string;
  readonly #decoder = new StringDecoder("utf8");
  #file: FileHandle | undefined;
  #offset = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** The text since the last read. */
  async read(): Promise<string> {
    let text = "";
    for (let piece = await this.piece(); piece !== undefined; piece = await this.piece()) text += piece;
    return text;
  }

  /** The next piece of the text since the last read; `undefined` if there is none yet. */
  async piece(): Promise<string | undefined> {
    this.#file ??= await open(this.#path).catch(() => undefined);
    for (;;) {
      // Opened before the remaining text is read: a rotated file is not written to any more.
      const next = await this.#next();
      const text = await this.#rest();
      if (text !== undefined) {
        await next?.close();
        return text;
      }
      if (next === undefined) return undefined;
      await this.#file?.close();
      this.#file = next;
      this.#offset = 0;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }

  async #rest(): Promise<string | undefined> {
    if (this.#file === undefined) return undefined;
    const { size } = await this.#file.stat();
    if (size <= this.#offset) return undefined;
    const buffer = Buffer.alloc(Math.min(pieceBytes, size - this.#offset));
    const { bytesRead } = await this.#file.read(buffer, 0, buffer.length, this.#offset);
    this.#offset += bytesRead;
    return this.#decoder.write(buffer.subarray(0, bytesRead));
  }

  /** The file after the open one; several rotations may have happened since the last read. */
  async #next(): Promise<FileHandle | undefined> {
    if (this.#file === undefined) return undefined;
    const { ino } = await this.#file.stat();
    for (;;) {
      const place = await this.#placeOf(ino);
      if (place === 0) return undefined;
      const found = await this.#openBefore(place);
      // Files are renamed during the lookup: the opened file is the next one only if the current one still has its position.
      if (found === undefined || (await this.#placeOf(ino)) === place) return found;
      await found.close();
    }
  }

  /** The next newer file; if the current one has been deleted, the oldest that remains. */
  async #openBefore(place: number): Promise<FileHandle | undefined> {
    const isThrownAway = place === usualLimits.files;
    for (let index = place - 1; index >= 0; index--) {
      const found = await open(asideOf(this.#path, index)).catch(() => undefined);
      if (found !== undefined || !isThrownAway) return found;
    }
    return undefined;
  }

  /** How often the file has been rotated. */
  async #placeOf(ino: number): Promise<number> {
    for (let place = 0; place < usualLimits.files; place++) {
      const there = await stat(asideOf(this.#path, place)).catch(() => undefined);
      if (there?.ino === ino) return place;
    }
    return usualLimits.files;
  }
}
