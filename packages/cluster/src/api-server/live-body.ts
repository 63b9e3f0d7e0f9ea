/** Reads streaming response bodies (watches, logs) as chunks in the same process. */
import type { AnswerBody, LiveBody } from "@capstan/apiserver";

/** Whether a body streams. */
export function isLiveBody(body: AnswerBody): body is LiveBody {
  return typeof body === "function";
}

/**
 * Starts the body at once and yields its chunks as they are written. An abort of the exchange ends both sides, and so does a reader that
 * stops early.
 */
export function readLiveBody(body: LiveBody, exchange: AbortController): AsyncGenerator<Uint8Array> {
  const { signal } = exchange;
  let waiting: Uint8Array[] = [];
  let isEnded = false;
  let wake = (): void => {};
  const stop = body({
    isFull: false,
    whenDrained: (callback) => callback(),
    write(chunk) {
      waiting.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
      wake();
    },
    end() {
      isEnded = true;
      wake();
    },
  });
  const onAbort = (): void => {
    stop();
    wake();
  };
  if (signal.aborted) stop();
  else signal.addEventListener("abort", onAbort, { once: true });
  const more = (): Promise<void> => new Promise((resolve) => (wake = resolve));
  return (async function* chunks() {
    try {
      for (;;) {
        if (signal.aborted) throw signal.reason;
        const now = waiting;
        if (now.length > 0) {
          waiting = [];
          yield* now;
          continue;
        }
        if (isEnded) return;
        // Nothing may be awaited since the look at `waiting`, not even `yield*` of no chunks: a write in between would wake nothing.
        await more();
      }
    } finally {
      exchange.abort();
    }
  })();
}
