/** One stream of a SPDY/3.1 connection: what arrives before it is listened to is kept, within bounds. */
import type { Duplex } from "node:stream";
import type { Holdable } from "../../linux/flow.ts";

/** A stream that the client opened. While it is paused, the client waits with all of its streams. */
export interface SpdyStream extends Holdable {
  readonly headers: ReadonlyMap<string, string>;
  /** Told what comes; `undefined` is the end. Nothing is lost before somebody listens. */
  listen(hear: (bytes: Buffer | undefined) => void): void;
  /** Promises to listen or to reset: until then the client waits when it has sent much. Without the promise it is cut off. */
  expectListener(): void;
  /** Writes; the sources of what comes next wait while the client does not read. */
  write(bytes: Uint8Array, sources?: readonly Holdable[]): void;
  /** Nothing more will be written. */
  end(): void;
  /** Ends both directions at once. */
  reset(): void;
}

/** The session's end of a stream. */
export interface InnerStream {
  deliver(bytes: Buffer | undefined): void;
}

/** What a stream needs of its connection. */
export interface StreamParts {
  readonly client: Pick<Duplex, "destroy">;
  readonly hold: Holdable;
  /** What is kept of all streams of the connection. */
  readonly kept: { bytes: number };
  readonly sendData: (bytes: Uint8Array, isLast: boolean, sources: readonly Holdable[]) => void;
  readonly sendReset: () => void;
  /** Both directions have ended. */
  readonly ended: () => void;
}

/** How much of all streams of a connection is kept before they are listened to. */
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
