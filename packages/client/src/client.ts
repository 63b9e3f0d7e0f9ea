/** The client: calls that read, write and watch, over one transport. */
import { createDiscovery } from "./discovery/discovery.ts";
import type { DiscoveryCalls } from "./discovery/discovery.ts";
import { readCalls } from "./call/read.ts";
import type { ReadCalls } from "./call/read.ts";
import { defaultRetry } from "./call/retry.ts";
import type { RetryPolicy } from "./call/retry.ts";
import { createSender } from "./call/send.ts";
import { subresourceCalls } from "./call/subresource.ts";
import type { SubresourceCalls } from "./call/subresource.ts";
import { warnOnce } from "./call/warnings.ts";
import type { ApiWarning } from "./call/warnings.ts";
import { writeCalls } from "./call/write.ts";
import type { WriteCalls } from "./call/write.ts";
import { systemClock } from "./host/clock.ts";
import type { Clock } from "./host/clock.ts";
import type { Transport } from "./transport/transport.ts";
import { watchCalls } from "./watch/watch.ts";
import type { WatchCalls } from "./watch/watch.ts";

/** A client of one API server. */
export interface Client extends ReadCalls, WriteCalls, WatchCalls, SubresourceCalls, DiscoveryCalls, AsyncDisposable {
  /** Any request, for what has no call of its own. */
  readonly transport: Transport;
  /** Ends the connection; running calls fail. */
  close(): Promise<void>;
}

/** How a client behaves; everything has a default. */
export interface ClientOptions {
  readonly clock?: Clock | undefined;
  /** A number from 0 up to 1, for the jitter of repeats. */
  readonly random?: (() => number) | undefined;
  readonly retry?: RetryPolicy | undefined;
  /** How long a call may take unless it says otherwise: 60 s. */
  readonly timeoutMs?: number | undefined;
  readonly userAgent?: string | undefined;
  /** Is told each warning of the server once. */
  readonly onWarning?: ((warning: ApiWarning) => void) | undefined;
  /** How errors name the server. */
  readonly server?: string | undefined;
}

/** A client over a transport. */
export function createClient(transport: Transport, options: ClientOptions = {}): Client {
  const { clock = systemClock, userAgent = "capstan", onWarning = () => {} } = options;
  const sender = createSender({
    transport,
    clock,
    random: options.random ?? (() => 0.5),
    retry: options.retry ?? defaultRetry,
    timeoutMs: options.timeoutMs ?? 60_000,
    headers: { accept: "application/json", "user-agent": userAgent },
    server: options.server ?? "(in process)",
    noteHeaders: warnOnce(onWarning),
  });
  const close = async (): Promise<void> => transport.close?.();
  return {
    ...readCalls(sender),
    ...writeCalls(sender),
    ...watchCalls(sender),
    ...subresourceCalls(sender),
    ...createDiscovery(sender, clock),
    transport,
    close,
    [Symbol.asyncDispose]: close,
  };
}
