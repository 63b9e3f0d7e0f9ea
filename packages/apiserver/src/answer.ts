/** The response of the server, independent of the transport. */
import type { Status } from "@capstan/model";

/** Takes the chunks of a streamed body. */
export interface Sink {
  write(chunk: string | Uint8Array): void;
  /** Whether so much data waits for the client that the next chunk should wait, too. */
  readonly isFull: boolean;
  /** Calls back once when a full sink has space again; never, if the client is disconnected before. */
  whenDrained(callback: () => void): void;
  /** Calls back in the next turn of the event loop that has time for this body. Absent if bodies do not take turns. */
  readonly later?: ((callback: () => void) => void) | undefined;
  end(): void;
}

/** A streamed body (watches, logs, long lists): it is started with a sink and returns a function that stops it. */
export type LiveBody = (sink: Sink) => () => void;

/** The body: text, bytes, or a stream. */
export type AnswerBody = string | Uint8Array | LiveBody;

/** Header names in lower case. */
export type AnswerHeaders = Record<string, string | string[]>;

/** The type of the messages of a WebSocket. */
export type Messages = "text" | "binary";

/** A response: status, headers and body. */
export interface Answer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: AnswerBody;
  /** Whether a streamed body is worth compressing; strings are compressed when they are long. */
  readonly compressible?: boolean;
  /** Set if each chunk of a streamed body is one message, for clients that ask for a WebSocket. */
  readonly messages?: Messages;
  /** The Status in the body, if it is one: the audit log records it, whatever the format of the body. */
  readonly told?: Status;
}

export function isLive(body: AnswerBody): body is LiveBody {
  return typeof body === "function";
}

/** A streamed body that pulls its chunks. */
export function fromChunks(chunks: AsyncIterable<string | Uint8Array>): LiveBody {
  return (sink) => {
    const iterator = chunks[Symbol.asyncIterator]();
    let stopped = false;
    const pump = async (): Promise<void> => {
      for (;;) {
        const next = await iterator.next();
        if (stopped || next.done === true) break;
        sink.write(next.value);
        if (sink.isFull) await new Promise<void>((resolve) => sink.whenDrained(resolve));
      }
      sink.end();
    };
    pump().catch(() => sink.end());
    return () => {
      stopped = true;
      void iterator.return?.();
    };
  };
}
