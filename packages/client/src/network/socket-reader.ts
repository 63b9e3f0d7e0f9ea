/** Reads a known amount from a socket, then returns the socket with excess bytes put back. */
import type { Socket } from "node:net";

/** Reads from a socket without other readers. */
export interface SocketReader {
  exactly(length: number): Promise<Buffer>;
  until(mark: Buffer): Promise<Buffer>;
  release(): Socket;
}

/** A longer proxy response is invalid. */
const limit = 64 * 1024;

/** Starts to read. */
export function createSocketReader(socket: Socket, signal: AbortSignal): SocketReader {
  let have: Buffer = Buffer.alloc(0);
  let wake: () => void = () => {};
  let failure = signal.aborted ? (signal.reason as Error) : undefined;
  const onData = (chunk: Buffer): void => {
    have = Buffer.concat([have, chunk]);
    if (have.length > limit) failure = new Error("the proxy answers too much");
    wake();
  };
  const fail = (error: Error): void => {
    failure ??= error;
    wake();
  };
  const onClose = (): void => fail(new Error("the proxy closed the connection"));
  const onAbort = (): void => fail(signal.reason as Error);
  socket.on("data", onData).on("error", fail).on("close", onClose);
  signal.addEventListener("abort", onAbort, { once: true });

  async function take(measure: () => number): Promise<Buffer> {
    for (;;) {
      const length = measure();
      if (length !== -1) {
        const taken = have.subarray(0, length);
        have = have.subarray(length);
        return taken;
      }
      if (failure !== undefined) throw failure;
      await new Promise<void>((resolve) => (wake = resolve));
    }
  }

  return {
    exactly: (length) => take(() => (have.length >= length ? length : -1)),
    until: (mark) =>
      take(() => {
        const at = have.indexOf(mark);
        return at === -1 ? -1 : at + mark.length;
      }),
    release() {
      socket.off("data", onData).off("error", fail).off("close", onClose);
      signal.removeEventListener("abort", onAbort);
      socket.pause();
      if (have.length > 0) socket.unshift(have);
      return socket;
    },
  };
}
