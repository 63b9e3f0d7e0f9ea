/** One address with two API servers behind it, like a load balancer: every call goes to one of them. */
import type { AnyKind, Api, ListRequest, WatchEvent, WatchRequest } from "../../src/api.ts";

type Which = "first" | "other" | "either";

export class TwoServers implements Api {
  readonly #first: Api;
  readonly #other: Api;
  readonly #cuts = new Set<(reason: Error) => void>();
  #which: Which = "first";
  #calls = 0;
  /** The number of lists, streamed or not. */
  lists = 0;

  constructor(first: Api, other: Api) {
    this.#first = first;
    this.#other = other;
  }

  /** From now on calls go to this server; every watch ends with the error and must reconnect. */
  turnTo(which: Which, error: Error): void {
    this.#which = which;
    for (const cut of this.#cuts) cut(error);
  }

  get #server(): Api {
    if (this.#which === "either") return this.#calls++ % 2 === 0 ? this.#first : this.#other;
    return this.#which === "first" ? this.#first : this.#other;
  }

  get: Api["get"] = (kind, key, signal) => this.#server.get(kind, key, signal);
  create: Api["create"] = (kind, object, options) => this.#server.create(kind, object, options);
  apply: Api["apply"] = (kind, object, options) => this.#server.apply(kind, object, options);
  patch: Api["patch"] = (kind, key, body, options) => this.#server.patch(kind, key, body, options);
  delete: Api["delete"] = (kind, key, options) => this.#server.delete(kind, key, options);

  list(kind: AnyKind, request: ListRequest): ReturnType<Api["list"]> {
    this.lists++;
    return this.#server.list(kind, request);
  }

  async *watch(kind: AnyKind, request: WatchRequest): AsyncGenerator<WatchEvent> {
    if (request.initialEvents === true) this.lists++;
    const ending = new AbortController();
    const cut = (reason: Error): void => ending.abort(reason);
    this.#cuts.add(cut);
    const signals = request.signal === undefined ? [ending.signal] : [ending.signal, request.signal];
    try {
      yield* this.#server.watch(kind, { ...request, signal: AbortSignal.any(signals) });
    } catch (error) {
      throw ending.signal.aborted ? ending.signal.reason : error;
    } finally {
      this.#cuts.delete(cut);
    }
    if (ending.signal.aborted) throw ending.signal.reason;
  }
}
