/**
 * Reads a log on where it stopped, also when the file is put aside meanwhile: it holds on to the file that it reads, and goes on to the next
 * one only when that one is there and its own is read to the end.
 */
import { open, stat, type FileHandle } from "node:fs/promises";
import { StringDecoder } from "node:string_decoder";
import { asideOf, usualLimits } from "../linux/keeper/log-file.ts";

/** A log from its beginning on. */
export class LogTail implements AsyncDisposable {
  readonly #path: string;
  readonly #decoder = new StringDecoder("utf8");
  #file: FileHandle | undefined;
  #offset = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** What has come since the last time. */
  async read(): Promise<string> {
    this.#file ??= await open(this.#path).catch(() => undefined);
    let text = "";
    for (;;) {
      // Looked up before the rest is read: nobody writes to a file any more once there is another.
      const next = await this.#next();
      text += await this.#rest();
      if (next === undefined) return text;
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

  async #rest(): Promise<string> {
    if (this.#file === undefined) return "";
    const { size } = await this.#file.stat();
    if (size <= this.#offset) return "";
    const buffer = Buffer.alloc(size - this.#offset);
    const { bytesRead } = await this.#file.read(buffer, 0, buffer.length, this.#offset);
    this.#offset += bytesRead;
    return this.#decoder.write(buffer.subarray(0, bytesRead));
  }

  /** The file after the one that is read; several may have been put aside since the last time. */
  async #next(): Promise<FileHandle | undefined> {
    if (this.#file === undefined) return undefined;
    const { ino } = await this.#file.stat();
    for (;;) {
      const place = await this.#placeOf(ino);
      if (place === 0) return undefined;
      const found = await this.#openBefore(place);
      // Files move while they are looked at: what was opened is the next one only if its own is still where it was.
      if (found === undefined || (await this.#placeOf(ino)) === place) return found;
      await found.close();
    }
  }

  /** The next younger file; where the own one was thrown away already, the oldest that is left. */
  async #openBefore(place: number): Promise<FileHandle | undefined> {
    const isThrownAway = place === usualLimits.files;
    for (let index = place - 1; index >= 0; index--) {
      const found = await open(asideOf(this.#path, index)).catch(() => undefined);
      if (found !== undefined || !isThrownAway) return found;
    }
    return undefined;
  }

  /** How often the file was put aside. */
  async #placeOf(ino: number): Promise<number> {
    for (let place = 0; place < usualLimits.files; place++) {
      const there = await stat(asideOf(this.#path, place)).catch(() => undefined);
      if (there?.ino === ino) return place;
    }
    return usualLimits.files;
  }
}
