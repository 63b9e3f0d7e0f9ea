/** The gate between authentication and authorization: a request gets a seat of its priority level, and its part of the event loop. */
import type { Answer } from "../answer.ts";
import { withBody, type Call } from "../call.ts";
import type { Clock, Stopwatch } from "../clock.ts";
import { plainText } from "../paths/plain.ts";
import type { TurnWatch, TurnWork } from "../turn/turn-watch.ts";
import type { Flow } from "./flow.ts";
import { perByte } from "./charged-answer.ts";
import { Pacer, type Turns } from "./pacer.ts";
import { Seats, type Release } from "./seats.ts";

export interface GateOptions {
  readonly clock: Clock;
  readonly turns: TurnWatch;
  readonly stopwatch: Stopwatch | undefined;
}

/** A request that may run. */
export interface Entered {
  readonly turns: Turns;
  readonly release: Release;
}

/** One gate serves all handlers of a server. */
export class Gate {
  readonly seats: Seats;
  readonly #watch: TurnWatch;
  readonly #pacer: Pacer;

  constructor({ clock, turns, stopwatch }: GateOptions) {
    this.seats = new Seats(clock);
    this.#watch = turns;
    this.#pacer = new Pacer(stopwatch);
  }

  /** Waits until the request may start. Rejects with a TooManyRequestsError. */
  async enter(call: Call, flow: Flow, work: TurnWork): Promise<Entered> {
    const taken = this.seats.take(flow, () => call.signal);
    const release = taken instanceof Promise ? await taken : taken;
    const turns = this.#marked(this.#pacer.request(flow), work);
    const wait = turns.next();
    if (wait !== undefined) await wait;
    return { turns, release };
  }

  /** Each turn is also reported, if it is long. */
  #marked(turns: Turns, work: TurnWork): Turns {
    const mark = (): void => this.#watch.mark(work);
    return {
      next() {
        const wait = turns.next();
        if (wait !== undefined) return wait.then(mark);
        mark();
        return undefined;
      },
      isOver: () => turns.isOver(),
      charge: (milliseconds) => turns.charge(milliseconds),
      end: () => turns.end(),
    };
  }
}

/** The call with a body that arrives in a turn with time for it: decoding is the expensive part of most requests. */
export function withPacedBody(call: Call, turns: Turns): Call {
  const read = async (): Promise<Uint8Array> => {
    const body = await call.body();
    turns.charge(body.length * perByte);
    const wait = turns.next();
    if (wait !== undefined) await wait;
    return body;
  };
  let body: Promise<Uint8Array> | undefined;
  return withBody(call, () => (body ??= read()));
}

/** The response of kube-apiserver for a rejected request. */
export function tooManyRequests(): Answer {
  const answer = plainText(429, "Too many requests, please try again later.\n");
  return { ...answer, headers: { ...answer.headers, "retry-after": "1" } };
}
