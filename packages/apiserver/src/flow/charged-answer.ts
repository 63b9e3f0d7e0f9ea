/** What sending a response costs, and the turns of a long one. */
import { isLive, type Answer, type LiveBody, type Sink } from "../answer.ts";
import type { Clock } from "../clock.ts";
import type { Turns } from "./pacer.ts";

/** Encrypting and sending a byte, or receiving one, in milliseconds. */
export const perByte: number = 4e-6;
/**
 * Work that comes to nothing costs its flow this much more, in milliseconds: a client that repeats it without end waits with the clients
 * whose requests are expensive. A single failure changes little, because the usual cost counts.
 */
const futile = 5;
/** A watch that its client ends sooner is futile, in milliseconds: each one starts with the whole state. */
const briefWatch = 5_000;

/** The response; its flow is charged for it, and its live body takes turns with others. */
export function chargedAnswer(answer: Answer, turns: Turns, clock: Clock): Answer {
  if (isFailed(answer.status)) turns.charge(futile);
  if (isLive(answer.body)) return { ...answer, body: inTurns(answer.body, turns, clock) };
  turns.charge(answer.body.length * perByte);
  turns.end();
  return answer;
}

/** To ask for something that does not exist, or no longer, is no failure. */
function isFailed(status: number): boolean {
  return status >= 400 && status < 500 && status !== 404 && status !== 410;
}

function inTurns(body: LiveBody, turns: Turns, clock: Clock): LiveBody {
  return (sink) => {
    const began = clock.now();
    const mine = new TurnsSink(sink, turns);
    const stop = body(mine);
    return () => {
      if (!mine.isEnded && clock.now() - began < briefWatch) turns.charge(futile);
      turns.end();
      stop();
    };
  };
}

/** A sink whose body goes on only in its turn. */
class TurnsSink implements Sink {
  readonly #sink: Sink;
  readonly #turns: Turns;
  isEnded = false;

  constructor(sink: Sink, turns: Turns) {
    this.#sink = sink;
    this.#turns = turns;
  }

  get isFull(): boolean {
    return this.#sink.isFull;
  }

  write(chunk: string | Uint8Array): void {
    this.#turns.charge(chunk.length * perByte);
    this.#sink.write(chunk);
  }

  whenDrained(callback: () => void): void {
    this.#sink.whenDrained(() => this.later(callback));
  }

  later(callback: () => void): void {
    const wait = this.#turns.next();
    if (wait === undefined) return callback();
    void this.#afterwards(wait, callback);
  }

  /** The sink reports an error of the body. */
  async #afterwards(wait: Promise<void>, callback: () => void): Promise<void> {
    try {
      await wait;
      callback();
    } catch (error) {
      this.#sink.whenDrained(() => {
        throw error;
      });
    }
  }

  end(): void {
    this.isEnded = true;
    this.#turns.end();
    this.#sink.end();
  }
}
