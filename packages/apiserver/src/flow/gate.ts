/** The gate between authentication and authorization: a request gets a seat of its priority level, and its part of the event loop. */
import type { Answer } from "../answer.ts";
import { withBody, type Call } from "../call.ts";
import type { Clock, Stopwatch } from "../clock.ts";
import { plainText } from "../paths/plain.ts";
import type { TurnWatch, TurnWork } from "../turn/turn-watch.ts";
import type { Flow } from "./flow.ts";
import { Pacer } from "./pacer.ts";
import { Seats, type Release } from "./seats.ts";

export interface GateOptions {
  readonly clock: Clock;
  readonly turns: TurnWatch;
  readonly stopwatch: Stopwatch | undefined;
}

/** One gate serves all handlers of a server. */
export class Gate {
  readonly seats: Seats;
  readonly #turns: TurnWatch;
  readonly #pacer: Pacer;

  constructor({ clock, turns, stopwatch }: GateOptions) {
    this.seats = new Seats(clock);
    this.#turns = turns;
    this.#pacer = new Pacer(turns, stopwatch);
  }

  /** Waits until the request may start. Rejects with a TooManyRequestsError. */
  async enter(call: Call, flow: Flow, work: TurnWork): Promise<Release> {
    const taken = this.seats.take(flow, () => call.signal);
    const release = taken instanceof Promise ? await taken : taken;
    const pause = this.#pacer.pause(flow);
    if (pause !== undefined) await pause;
    this.#turns.mark(work);
    return release;
  }

  /** The call with a body that arrives in a turn with time for it: decoding is the expensive part of most requests. */
  withPacedBody(call: Call, flow: Flow, work: TurnWork): Call {
    const read = async (): Promise<Uint8Array> => {
      const body = await call.body();
      const pause = this.#pacer.pause(flow);
      if (pause !== undefined) await pause;
      this.#turns.mark(work);
      return body;
    };
    let body: Promise<Uint8Array> | undefined;
    return withBody(call, () => (body ??= read()));
  }
}

/** The response of kube-apiserver for a rejected request. */
export function tooManyRequests(): Answer {
  const answer = plainText(429, "Too many requests, please try again later.\n");
  return { ...answer, headers: { ...answer.headers, "retry-after": "1" } };
}
