/** A lock between processes that the kernel releases when its holder dies, however it dies. */

import { createHash } from "node:crypto";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { Server } from "node:net";

/** Holds the lock until disposed or until this process ends. */
export interface Lock extends AsyncDisposable {}

/** What to do while another holds the lock. */
export interface LockOptions {
  /** Stops waiting; its reason is the error. */
  readonly signal?: AbortSignal | undefined;
  /** Called once if the lock is not free. */
  readonly whenWaiting?: () => void;
}

/**
 * Takes the lock on a path and waits for its holder. The lock is a listening socket in the abstract namespace: it needs no file, so
 * nothing remains after a crash, and a waiter wakes when its connection to the holder closes.
 */
export async function takeLock(path: string, { signal, whenWaiting }: LockOptions = {}): Promise<Lock> {
  const address = `\0capstan-${createHash("sha256").update(path).digest("hex")}`;
  for (let waited = false; ; waited = true) {
    signal?.throwIfAborted();
    const server = await tryListen(address);
    if (server) return { [Symbol.asyncDispose]: () => close(server) };
    if (!waited) whenWaiting?.();
    await waitForRelease(address, signal);
  }
}

const visitors = new WeakMap<Server, Set<{ destroy(): unknown }>>();

async function tryListen(address: string): Promise<Server | undefined> {
  const server = createServer();
  const waiting = new Set<{ destroy(): unknown }>();
  visitors.set(server, waiting);
  server.on("connection", (socket) => {
    socket.unref();
    socket.on("error", () => {});
    waiting.add(socket);
    socket.on("close", () => waiting.delete(socket));
  });
  try {
    server.listen(address);
    await once(server, "listening");
    server.unref();
    return server;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") return undefined;
    throw error;
  }
}

async function waitForRelease(address: string, signal: AbortSignal | undefined): Promise<void> {
  const socket = connect(address);
  const giveUp = (): unknown => socket.destroy();
  signal?.addEventListener("abort", giveUp);
  socket.on("error", () => {});
  socket.resume();
  await new Promise<void>((resolve) => socket.once("close", () => resolve()));
  signal?.removeEventListener("abort", giveUp);
}

async function close(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  for (const socket of visitors.get(server) ?? []) socket.destroy();
  await closed;
}
