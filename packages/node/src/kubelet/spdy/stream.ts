/** One stream of a SPDY/3.1 connection. Data that arrives before the stream has a listener is buffered, within bounds. */
import type { Duplex } from "node:stream";
import type { Holdable } from "../../linux/flow.ts";

/** A stream that the client opened. While it is paused, the client is paused with all of its streams. */
export interface SpdyStream extends Holdable {
  readonly headers: ReadonlyMap<string, string>;
  /** Calls `hear` with data; `undefined` is the end. Data that arrived earlier is delivered first. */
  listen(hear: (bytes: Buffer | undefined) => void): void;
  /**
   * Announces a later listener or reset: until then the client is paused when the buffer is full. Without it the client is disconnected.
   */
  expectListener(): void;
  /** Writes data, and pauses the sources while the client does not read. */
  write(bytes: Uint8Array, sources?: readonly Holdable[]): void;
  /** Half-closes the stream: no more data will be written. */
  end(): void;
  /** Ends both directions at once. */
  reset(): void;
}

/** The session's side of a stream. */
export interface InnerStream {
  deliver(bytes: Buffer | undefined): void;
}

/** What a stream needs from its connection. */
export interface StreamParts {
  readonly client: Pick<Duplex, "destroy">;
  readonly hold: Holdable;
  /** How much is buffered for all streams of the connection. */
  readonly kept: { bytes: number };
  readonly sendData: (bytes: Uint8Array, isLast: boolean, sources: readonly Holdable[]) => void;
  readonly sendReset: () => void;
  /** Both directions have ended. */
  readonly ended: () => void;
}

/** How many bytes are buffered for all streams of a connection before they have listeners. */
export const MOST_UNHEARD: number = 256 * 1024;

export function createStream(
  headers: ReadonlyMap<string, string>,
  parts: StreamParts,
): { readonly stream: SpdyStream; readonly inner: InnerStream } {
  const waiting: (Buffer | undefined)[] = [];
  let unheard = 0;
  let isExpected = false;
  let hear: ((bytes: Buffer | undefined) => void) | undefined;
  const open = { here: true, there: true };
  const close = (side: "here" | "there"): void => {
    open[side] = false;
    if (!open.here && !open.there) parts.ended();
  };
  const keep = (bytes: Buffer | undefined): void => {
    waiting.push(bytes);
    unheard += bytes?.length ?? 0;
    parts.kept.bytes += bytes?.length ?? 0;
    if (parts.kept.bytes <= MOST_UNHEARD) return;
    if (isExpected) parts.hold.pause();
    else parts.client.destroy();
  };
  const listen = (listener: (bytes: Buffer | undefined) => void): void => {
    hear = listener;
    parts.kept.bytes -= unheard;
    unheard = 0;
    parts.hold.resume();
    for (const bytes of waiting.splice(0)) listener(bytes);
  };
  const inner: InnerStream = {
    deliver(bytes) {
      if (!open.there) return;
      if (hear === undefined) keep(bytes);
      else hear(bytes);
      if (bytes === undefined) close("there");
    },
  };
  const stream: SpdyStream = {
    headers,
    listen,
    expectListener: () => void (isExpected = true),
    pause: () => parts.hold.pause(),
    resume: () => parts.hold.resume(),
    write: (bytes, sources = []) => parts.sendData(bytes, false, sources),
    end() {
      if (!open.here) return;
      parts.sendData(Buffer.alloc(0), true, []);
      close("here");
    },
    reset() {
      parts.sendReset();
      listen(() => {});
      close("here");
      close("there");
    },
  };
  return { stream, inner };
}
