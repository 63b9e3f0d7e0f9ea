/**
 * A log file with rotation; the last few files are kept. Writers wait for the disk, so that a program that writes faster is slowed down
 * instead of filling memory, and lines keep their order.
 */
import { open, rename, type FileHandle } from "node:fs/promises";

/** The rotation limits. */
export interface LogLimits {
  /** How many bytes a file may have before it is rotated. */
  readonly bytes: number;
  /** How many files are kept, including the current one. */
  readonly files: number;
}

/** The defaults of the kubelet. */
export const usualLimits: LogLimits = { bytes: 10 * 2 ** 20, files: 5 };

/** A log file that is being written. */
export class LogFile {
  readonly #path: string;
  readonly #limits: LogLimits;
  #file: Promise<FileHandle>;
  #written = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(path: string, limits: LogLimits = usualLimits) {
    this.#path = path;
    this.#limits = limits;
    this.#file = open(path, "a");
    // Each write handles the error; unhandled, it would crash the process.
    this.#file.catch(() => {});
  }

  /** Writes after all earlier writes. A failing disk loses the line, and the container continues. */
  write(text: string): Promise<void> {
    if (text === "") return this.#last;
    this.#last = this.#last.then(() => this.#append(text)).catch(() => {});
    return this.#last;
  }

  /** Resolves when everything is written. */
  async close(): Promise<void> {
    await this.#last;
    await this.#file.then((file) => file.close()).catch(() => {});
  }

  async #append(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    await (await this.#file).appendFile(bytes);
    this.#written += bytes.length;
    if (this.#written >= this.#limits.bytes) await this.#putAside();
  }

  async #putAside(): Promise<void> {
    this.#written = 0;
    await (await this.#file).close();
    for (let index = this.#limits.files - 1; index > 0; index--)
      await rename(asideOf(this.#path, index - 1), asideOf(this.#path, index)).catch(() => {});
    this.#file = open(this.#path, "a");
    await this.#file;
  }
}

/** The name of a log file after so many rotations. */
export function asideOf(path: string, times: number): string {
  return times === 0 ? path : `${path}.${times}`;
}
