/**
 * A log file that is put aside when it has grown too long; the last few are kept. Whoever writes waits until it is written, so that a program
 * that says more than the disk takes is held up instead of filling memory, and what was said before is never found after what was said later.
 */
import { open, rename, type FileHandle } from "node:fs/promises";

/** How much is kept. */
export interface LogLimits {
  /** How many bytes a file may have before it is put aside. */
  readonly bytes: number;
  /** How many files there are, the one that is written to included. */
  readonly files: number;
}

/** What kubelets keep. */
export const usualLimits: LogLimits = { bytes: 10 * 2 ** 20, files: 5 };

/** A log that is written to. */
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
    // Told to whoever writes.
    this.#file.catch(() => {});
  }

  /** Writes after all that was to be written before. A disk that takes nothing loses the line, not the container. */
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

/** The name of a log that was put aside so many times. */
export function asideOf(path: string, times: number): string {
  return times === 0 ? path : `${path}.${times}`;
}
