/** Writes a streamed body to a response: with few writes, a bounded buffer, and a timeout. */
import type { ServerResponse } from "node:http";
import type { Gzip } from "node:zlib";
import type { Sink } from "../answer.ts";
import { systemClock, type Timer } from "../clock.ts";
import { Flusher, type Flushable, type Membership } from "./flusher.ts";

/** The size of the buffered data at which a body waits for its client: the more bodies are open, the less each may buffer. */
const fullAt = 1024 * 1024;
const leastFullAt = 64 * 1024;
/** About what all bodies together may buffer. */
const allFullAt = 64 * 1024 * 1024;

let open = 0;

function limit(): number {
  return Math.max(leastFullAt, Math.min(fullAt, allFullAt / open));
}

const flusher = new Flusher({ clock: systemClock, soon: (run) => void setImmediate(run) });

export interface HttpSinkOptions {
  /** Milliseconds. */
  readonly patience: number;
  /** Reports an error of the body; the client is then disconnected. */
  readonly fail: (error: unknown) => void;
  readonly compression: Gzip | undefined;
}

/** Chunks of one event loop iteration are sent together: under load, many small events become few writes. */
export class HttpSink implements Sink, Flushable {
  readonly #response: ServerResponse;
  readonly #target: ServerResponse | Gzip;
  /** A client that reads nothing of the buffered data for this many milliseconds is disconnected; it will reconnect. */
  readonly #patience: number;
  #pending: (string | Uint8Array)[] = [];
  #pendingLength = 0;
  /** The buffered size of the stream when it was last read: until the next flush it can only shrink. */
  #queued = 0;
  #ended = false;
  #drained: (() => void) | undefined;
  #stalled: Timer | undefined;

  readonly #fail: (error: unknown) => void;
  readonly #membership: Membership;

  constructor(response: ServerResponse, { patience, fail, compression }: HttpSinkOptions) {
    this.#response = response;
    this.#patience = patience;
    this.#fail = fail;
    this.#target = compression ?? response;
    compression?.pipe(response);
    this.#target.on("drain", () => this.#onDrain());
    this.#membership = flusher.join(connectionOf(response), this);
    open++;
    response.once("close", () => {
      open--;
      this.#membership.leave();
      this.#stalled?.cancel();
    });
  }

  get isFull(): boolean {
    const most = limit();
    if (this.#pendingLength + this.#queued <= most) return false;
    this.#queued = this.#target.writableLength;
    return this.#pendingLength + this.#queued > most;
  }

  whenDrained(callback: () => void): void {
    this.#drained = callback;
    this.#membership.wake();
  }

  write(chunk: string | Uint8Array): void {
    if (this.#pending.length === 0) this.#membership.wake();
    this.#pending.push(chunk);
    this.#pendingLength += chunk.length;
  }

  end(): void {
    this.#ended = true;
    this.#membership.wake();
  }

  flush(): void {
    try {
      if (!this.#response.destroyed) this.#sendPending();
    } catch (error) {
      this.#fail(error);
    }
  }

  #sendPending(): void {
    if (this.#pending.length > 0) {
      const chunk = joinShared(this.#pending);
      this.#pending = [];
      this.#pendingLength = 0;
      if (!this.#target.write(chunk)) this.#waitForReader();
      this.#queued = this.#target.writableLength;
    }
    if (this.#ended) this.#target.end();
    else if (!this.isFull) this.#callBack();
  }

  #waitForReader(): void {
    this.#stalled ??= systemClock.later(this.#patience, () => this.#response.destroy());
  }

  #onDrain(): void {
    this.#stalled?.cancel();
    this.#stalled = undefined;
    this.#callBack();
  }

  #callBack(): void {
    const callback = this.#drained;
    this.#drained = undefined;
    try {
      callback?.();
    } catch (error) {
      this.#fail(error);
    }
  }
}

/** All streams of an HTTP/2 connection are flushed together. */
function connectionOf(response: ServerResponse): object {
  const { stream } = response as { readonly stream?: { readonly session?: object } };
  return stream?.session ?? response.socket ?? response;
}

let lastChunks: readonly (string | Uint8Array)[] = [];
let lastJoined: string | Uint8Array = "";

/** Watchers of the same objects wait for the same chunks, which are joined only once. */
function joinShared(chunks: readonly (string | Uint8Array)[]): string | Uint8Array {
  const isSame = chunks.length === lastChunks.length && chunks.every((chunk, index) => chunk === lastChunks[index]);
  if (isSame) return lastJoined;
  lastChunks = chunks;
  lastJoined = joined(chunks);
  return lastJoined;
}

function joined(chunks: readonly (string | Uint8Array)[]): string | Uint8Array {
  const [first] = chunks;
  if (chunks.length === 1 && first !== undefined) return first;
  if (chunks.every((chunk) => typeof chunk === "string")) return chunks.join("");
  return Buffer.concat(chunks.map((chunk) => (typeof chunk === "string" ? Buffer.from(chunk) : chunk)));
}
