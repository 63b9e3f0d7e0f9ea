/** What the server answers, before a door puts it on a wire. */
import type { Status } from "@capstan/model";

/** Takes the chunks of a body that goes on. */
export interface Sink {
  /** Hands over a chunk. */
  write(chunk: string | Uint8Array): void;
  /** Whether so much waits for the client to read that the next chunk should wait, too. */
  readonly isFull: boolean;
  /** Calls back once when a full sink has room again; never, when the client is cut off before. */
  whenDrained(callback: () => void): void;
  /** Ends the body. */
  end(): void;
}

/** A body that goes on (watches, logs, long lists): it is started with a sink and returns what stops it. */
export type LiveBody = (sink: Sink) => () => void;

/** The body: text, bytes, or one that goes on. */
export type AnswerBody = string | Uint8Array | LiveBody;

/** Header names in lower case. */
export type AnswerHeaders = Record<string, string | string[]>;

/** What the messages of a WebSocket are. */
export type Messages = "text" | "binary";

/** One answer. */
export interface Answer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: AnswerBody;
  /** Whether a body that goes on is worth compressing; texts are when they are long. */
  readonly compressible?: boolean;
  /** Whether each chunk of a body that goes on is a message of its own, for clients that ask for a WebSocket. */
  readonly messages?: Messages;
  /** The Status that the body is, where it is one: the audit log tells it, whatever its form. */
  readonly told?: Status;
}

/** Whether a body goes on. */
export function isLive(body: AnswerBody): body is LiveBody {
  return typeof body === "function";
}

/** A body that goes on, from chunks that are pulled. */
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
