/** Effective times of journal lines: the time of the line, corrected by the clock of the server. */
import type { JournalLine } from "./line.ts";

/** Smaller differences between the clocks of server and observer do not count. */
const clockTolerance = 2000;

/** Takes the lines of journals in order. */
export class EffectiveTime {
  #cluster = "";
  #offset = 0;

  /** The cluster of the journal that is read. */
  get cluster(): string {
    return this.#cluster;
  }

  /** The time of a line; undefined for the head of a journal. */
  take({ at, body }: JournalLine): number | undefined {
    if (body.type === "JOURNAL") {
      this.#cluster = body.cluster;
      this.#offset = 0;
      return undefined;
    }
    if ((body.type === "SYNCED" || body.type === "BOOKMARK") && body.date !== undefined) {
      const offset = body.date - at;
      this.#offset = Math.abs(offset) >= clockTolerance ? offset : 0;
    }
    return at + this.#offset;
  }
}
