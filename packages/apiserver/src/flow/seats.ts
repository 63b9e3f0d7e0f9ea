/** Limits the requests in flight of a priority level and of each flow in it; more requests wait, and too many are rejected. */
import type { Clock } from "../clock.ts";
import { FairQueue } from "./fair-queue.ts";
import type { Flow, FlowLimits } from "./flow.ts";

/** The longest wait for a seat, in milliseconds, as in kube-apiserver: a quarter of the time limit of a request. */
const longestWait = 15_000;

/** Frees a seat; further calls have no effect. */
export type Release = () => void;

/** The request is rejected with 429. */
export class TooManyRequestsError extends Error {
  override readonly name = "TooManyRequestsError";
  readonly code: "QueueFull" | "TimeOut";

  constructor(code: "QueueFull" | "TimeOut", { level, key }: Flow) {
    super(`the priority level ${level} has no seat for ${key === "" ? "the flow" : key}; try again later`);
    this.code = code;
  }
}

interface Level {
  taken: number;
  readonly takenBy: Map<string, number>;
  readonly waiting: FairQueue<() => void>;
  limits: FlowLimits;
}

const free: Release = () => {};

/** The seats of all priority levels. */
export class Seats {
  readonly #clock: Clock;
  readonly #levels = new Map<string, Level>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The numbers of requests with a seat and of waiting ones, by level. */
  numbers(): { readonly level: string; readonly seated: number; readonly waiting: number }[] {
    return [...this.#levels].map(([level, { taken, waiting }]) => ({ level, seated: taken, waiting: waiting.size }));
  }

  /** A seat, now or later. An exempt flow needs none. Throws or rejects with a TooManyRequestsError. */
  take(flow: Flow, signal: () => AbortSignal): Release | Promise<Release> {
    if (flow.limits === undefined) return free;
    const level = this.#levelOf(flow, flow.limits);
    // With a free seat of the level, the waiting flows have reached their own limits.
    if (hasSeat(level, flow.key)) return this.#seat(level, flow.key);
    if (level.waiting.sizeOf(flow.key) >= level.limits.queueLength) throw new TooManyRequestsError("QueueFull", flow);
    return this.#wait(level, flow, signal());
  }

  #levelOf({ level: name }: Flow, limits: FlowLimits): Level {
    const level = this.#levels.get(name) ?? { taken: 0, takenBy: new Map(), waiting: new FairQueue(), limits };
    level.limits = limits;
    this.#levels.set(name, level);
    return level;
  }

  #seat(level: Level, key: string): Release {
    level.taken++;
    level.takenBy.set(key, (level.takenBy.get(key) ?? 0) + 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      level.taken--;
      const left = (level.takenBy.get(key) ?? 1) - 1;
      if (left === 0) level.takenBy.delete(key);
      else level.takenBy.set(key, left);
      this.#seatNext(level);
    };
  }

  #seatNext(level: Level): void {
    for (;;) {
      const next = level.waiting.shift((key) => hasSeat(level, key));
      if (next === undefined) return;
      next();
    }
  }

  #wait(level: Level, flow: Flow, signal: AbortSignal): Promise<Release> {
    const { promise, resolve, reject } = Promise.withResolvers<Release>();
    const leave = (): void => {
      level.waiting.remove(flow.key, sit);
      signal.removeEventListener("abort", leave);
      late.cancel();
      reject(new TooManyRequestsError("TimeOut", flow));
    };
    const late = this.#clock.later(longestWait, leave);
    const sit = (): void => {
      signal.removeEventListener("abort", leave);
      late.cancel();
      resolve(this.#seat(level, flow.key));
    };
    signal.addEventListener("abort", leave);
    level.waiting.push(flow.key, sit);
    return promise;
  }
}

/** Flows that hold many seats for long do not keep a flow without one from its first, up to this multiple of the level's seats. */
const mostOver = 4;

function hasSeat({ taken, takenBy, limits }: Level, key: string): boolean {
  const own = takenBy.get(key) ?? 0;
  if (own === 0) return taken < limits.seats * mostOver;
  return taken < limits.seats && own < limits.seatsPerFlow;
}
