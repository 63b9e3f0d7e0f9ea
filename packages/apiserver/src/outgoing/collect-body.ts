/** Buffers a streamed body up to a limit, so that short bodies can be changed and long ones are streamed unchanged. */
import type { LiveBody, Sink } from "../answer.ts";

/** The size limit, and the signal that stops the reading. */
export interface CollectLimits {
  readonly bytes: number;
  readonly signal: AbortSignal | undefined;
}

/** The whole body if it ends within the limit; otherwise the stream, starting with the buffered chunks. */
export function collectBody(body: LiveBody, { bytes: most, signal }: CollectLimits): Promise<Uint8Array | LiveBody> {
  const { promise, resolve } = Promise.withResolvers<Uint8Array | LiveBody>();
  const held: Uint8Array[] = [];
  const waiting: (() => void)[] = [];
  let size = 0;
  let hasEnded = false;
  let reader: Sink | undefined;
  let stop = (): void => {};
  const goOn: LiveBody = (sink) => {
    reader = sink;
    for (const chunk of held.splice(0)) sink.write(chunk);
    if (hasEnded) sink.end();
    for (const callback of waiting.splice(0)) {
      if (sink.isFull) sink.whenDrained(callback);
      else callback();
    }
    return () => stop();
  };
  stop = body({
    write(chunk) {
      if (reader !== undefined) return reader.write(chunk);
      const piece = Buffer.from(chunk);
      held.push(piece);
      size += piece.length;
      if (size > most) resolve(goOn);
    },
    get isFull() {
      return reader === undefined ? size > most : reader.isFull;
    },
    whenDrained(callback) {
      if (reader === undefined) waiting.push(callback);
      else reader.whenDrained(callback);
    },
    end() {
      hasEnded = true;
      if (reader !== undefined) reader.end();
      else if (size <= most) resolve(Buffer.concat(held));
    },
  });
  signal?.addEventListener("abort", () => (stop(), resolve(new Uint8Array())), { once: true });
  return promise;
}
