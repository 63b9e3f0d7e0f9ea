/** An API with injected faults: a function decides on the fault of each call. */
import { ApiError, ConnectionError } from "@capstan/client";
import type { AnyKind, Api, WatchLine, WatchEvent, WatchRequest, WatchStream } from "../api.ts";
import { sleep } from "../clock.ts";
import type { Clock } from "../clock.ts";

/**
 * A call that is about to be made.
 *
 * @example
 * await using world = await testOperator(app);
 * const isLeaseWrite = ({ kind, isWrite }: Call) => isWrite && kind.kind === "Lease";
 * world.inject((call) => (isLeaseWrite(call) ? { fault: "delay", by: 5_000 } : undefined));
 */
export interface Call {
  readonly verb: "get" | "list" | "watch" | "create" | "apply" | "patch" | "delete";
  readonly kind: AnyKind;
  readonly isWrite: boolean;
}

/**
 * The fault of a call.
 *
 * @example
 * await using world = await testOperator(app);
 * const slow: Fault = { fault: "delay", by: 1_000 };
 * world.inject(() => slow);
 */
export type Fault =
  /** The server returns an error and does nothing. */
  | { readonly fault: "refuse"; readonly error: Error }
  /** The server executes the request, and the response is lost. */
  | { readonly fault: "lose the answer" }
  /**
   * The request is delayed by this many milliseconds. Its sender can cancel it meanwhile, unless `outlives` is true when the delay ends: a
   * write of a process that was killed arrives nevertheless, as a packet in a network does. A `TestWorld` sets it.
   */
  | { readonly fault: "delay"; readonly by: number; readonly outlives?: () => boolean }
  /** A watch ends after so many events: with an error, or normally. */
  | { readonly fault: "break"; readonly after: number; readonly how: "error" | "close" }
  /** Each event of a watch is delayed by so many milliseconds. */
  | { readonly fault: "late"; readonly by: number }
  /** A watch stops delivering after so many events without an error. */
  | { readonly fault: "silence"; readonly after: number };

/**
 * Errors as a server or a broken connection causes them.
 *
 * @example
 * await using world = await testOperator(app);
 * world.failWrite(1, errors.conflict());
 */
export const errors = {
  throttled: (retryAfterMs: number): ApiError =>
    new ApiError({ code: "TooManyRequests", message: "Too many requests.", status: 429, retryAfterMs }),
  internal: (): ApiError => new ApiError({ code: "InternalError", message: "Internal error.", status: 500 }),
  conflict: (): ApiError => new ApiError({ code: "Conflict", message: "The object has been modified.", status: 409 }),
  expired: (): ApiError => new ApiError({ code: "Expired", message: "Too old resource version.", status: 410 }),
  connectionLost: (): ApiError =>
    new ConnectionError({ code: "ConnectionLost", server: "(test)", sent: true, cause: new Error("socket hang up") }),
} as const;

/** Wraps an API. `decide` is called once for each call. */
export function faultyApi(api: Api, clock: Clock, decide: (call: Call) => Fault | undefined): Api {
  async function run<T>(
    verb: Call["verb"],
    kind: AnyKind,
    call: { signal: AbortSignal | undefined; make: (late?: Late) => Promise<T> },
  ): Promise<T> {
    const isWrite = verb !== "get" && verb !== "list" && verb !== "watch";
    const fault = decide({ verb, kind, isWrite });
    if (fault?.fault === "refuse") throw fault.error;
    if (fault?.fault === "delay" && isWrite) return await arriveLate(clock, fault, call);
    if (fault?.fault === "delay") await sleep(clock, fault.by, call.signal);
    call.signal?.throwIfAborted();
    const answer = await call.make();
    if (fault?.fault === "lose the answer") throw errors.connectionLost();
    return answer;
  }
  return {
    get: (kind, key, signal) => run("get", kind, { signal, make: () => api.get(kind, key, signal) }),
    list: (kind, request) => run("list", kind, { signal: request.signal, make: () => api.list(kind, request) }),
    watch: (kind, request) => faultyWatch({ api, clock, decide }, kind, request),
    create: (kind, object, options) =>
      run("create", kind, {
        signal: options.signal,
        make: (late) => api.create(kind, object, { ...options, ...late }),
      }),
    apply: (kind, object, options) =>
      run("apply", kind, { signal: options.signal, make: (late) => api.apply(kind, object, { ...options, ...late }) }),
    patch: (kind, key, body, options) =>
      run("patch", kind, {
        signal: options.signal,
        make: (late) => api.patch(kind, key, body, { ...options, ...late }),
      }),
    delete: (kind, key, options) =>
      run("delete", kind, { signal: options.signal, make: (late) => api.delete(kind, key, { ...options, ...late }) }),
  };
}

/** A delayed write arrives although its sender has been killed. */
export function outliving(fault: Fault | undefined, isKilled: () => boolean): Fault | undefined {
  return fault?.fault === "delay" ? { ...fault, outlives: isKilled } : fault;
}

/** Options of a write that has left its sender: the sender can neither cancel nor reconsider it. */
type Late = { readonly signal: undefined; readonly beforeSending: undefined };

/** A write that arrives after a delay: if its sender was killed, too, but not if its sender has cancelled it. */
async function arriveLate<T>(
  clock: Clock,
  { by, outlives }: { readonly by: number; readonly outlives?: () => boolean },
  { signal, make }: { readonly signal: AbortSignal | undefined; readonly make: (late?: Late) => Promise<T> },
): Promise<T> {
  if (outlives?.() !== true) signal?.throwIfAborted();
  const arrival = sleep(clock, by).then(() => {
    if (outlives?.() === true) return make({ signal: undefined, beforeSending: undefined });
    signal?.throwIfAborted();
    return make();
  });
  return await orAborted(arrival, signal);
}

/** A promise, or the reason of the signal if it is aborted first. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal?.removeEventListener("abort", abort));
  });
}

interface Faulty {
  readonly api: Api;
  readonly clock: Clock;
  readonly decide: (call: Call) => Fault | undefined;
}

/**
 * A watch with a fault. It always offers bytes, as a client over a connection does: so tests use the same code path as production,
 * whatever replaces the server.
 */
function faultyWatch({ api, clock, decide }: Faulty, kind: AnyKind, request: WatchRequest): WatchStream {
  const fault = decide({ verb: "watch", kind, isWrite: false });
  const { signal } = request;
  async function open(): Promise<WatchStream> {
    if (fault?.fault === "refuse") throw fault.error;
    if (fault?.fault === "delay") await sleep(clock, fault.by, signal);
    return api.watch(kind, request);
  }
  async function* events(): AsyncGenerator<WatchEvent> {
    for await (const [event] of spoilt(inBatches(await open()), { fault, clock, signal })) if (event) yield event;
  }
  async function* batches(): AsyncGenerator<readonly WatchLine[]> {
    const stream = await open();
    yield* spoilt(stream.batches?.() ?? asSent(stream), { fault, clock, signal });
  }
  return { [Symbol.asyncIterator]: events, batches };
}

async function* inBatches(events: AsyncIterable<WatchEvent>): AsyncGenerator<readonly WatchEvent[]> {
  for await (const event of events) yield [event];
}

async function* asSent(events: AsyncIterable<WatchEvent>): AsyncGenerator<readonly WatchLine[]> {
  const encoder = new TextEncoder();
  for await (const { type, object } of events) yield [{ type, bytes: encoder.encode(JSON.stringify(object)) }];
}

interface Spoiling {
  readonly fault: Fault | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
}

/** The stream after a fault. */
async function* spoilt<E>(
  batches: AsyncIterable<readonly E[]>,
  { fault, clock, signal }: Spoiling,
): AsyncGenerator<readonly E[]> {
  if (fault?.fault === "break" || fault?.fault === "silence") return yield* cutShort(batches, fault);
  for await (const batch of batches) {
    if (fault?.fault === "late") {
      for (const event of batch) {
        await sleep(clock, fault.by, signal);
        yield [event];
      }
    } else yield batch;
  }
}

async function* cutShort<E>(
  batches: AsyncIterable<readonly E[]>,
  fault: Extract<Fault, { readonly fault: "break" | "silence" }>,
): AsyncGenerator<readonly E[]> {
  let left = fault.after;
  for await (const batch of batches) {
    if (left > 0) yield batch.slice(0, left);
    const isCut = batch.length > left;
    left = Math.max(0, left - batch.length);
    if (!isCut || fault.fault === "silence") continue;
    if (fault.how === "close") return;
    throw errors.connectionLost();
  }
}
