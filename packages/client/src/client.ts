/** The client: read, write and watch calls over one transport. */
import { createDiscovery } from "./discovery/discovery.ts";
import type { DiscoveryCalls } from "./discovery/discovery.ts";
import { readCalls } from "./call/read.ts";
import type { ReadCalls } from "./call/read.ts";
import { defaultRetry } from "./call/retry.ts";
import type { RetryPolicy } from "./call/retry.ts";
import { createSender } from "./call/send.ts";
import type { SentRequest } from "./call/send.ts";
import { subresourceCalls } from "./call/subresource.ts";
import type { SubresourceCalls } from "./call/subresource.ts";
import { warnOnce } from "./call/warnings.ts";
import type { ApiWarning } from "./call/warnings.ts";
import { writeCalls } from "./call/write.ts";
import type { WriteCalls } from "./call/write.ts";
import type { Host } from "./host/host.ts";
import { processHost } from "./host/main.ts";
import type { ClusterConfig } from "./kubeconfig/kubeconfig.ts";
import type { ConnectionLimits } from "./network/endpoint.ts";
import { podCalls } from "./pod/calls.ts";
import type { PodCalls } from "./pod/calls.ts";
import { lazyTransport } from "./transport/lazy.ts";
import type { Transport } from "./transport/transport.ts";
import { watchCalls } from "./watch/watch.ts";
import type { WatchCalls } from "./watch/watch.ts";

/**
 * A client of one API server.
 *
 * @example
 * const deletePod = (client: Client, name: string) => client.delete(Pod, { namespace: "default", name });
 */
export interface Client
  extends ReadCalls, WriteCalls, WatchCalls, SubresourceCalls, PodCalls, DiscoveryCalls, AsyncDisposable {
  /** For requests without a dedicated call. */
  readonly transport: Transport;
  /** Closes the connection; calls in flight fail. */
  close(): Promise<void>;
}

/**
 * How a client behaves; everything has a default.
 *
 * @example
 * const options: ClientOptions = { timeoutMs: 10_000, userAgent: "memcached-operator" };
 * const client = createClient(await loadConfig(processHost()), options);
 */
export interface ClientOptions {
  /** The machine: clock, randomness, environment and files. */
  readonly host?: Host | undefined;
  readonly retry?: RetryPolicy | undefined;
  /** The time limit of a call. Default: 60 s. */
  readonly timeoutMs?: number | undefined;
  readonly userAgent?: string | undefined;
  /** Receives each distinct warning of the server once. */
  readonly onWarning?: ((warning: ApiWarning) => void) | undefined;
  /** Called for each attempt with or without a response; client-go counts these in `rest_client_requests_total`. */
  readonly onSent?: ((sent: SentRequest) => void) | undefined;
  /** The time limits of connections. */
  readonly limits?: Partial<ConnectionLimits> | undefined;
}

/**
 * A client of a cluster that is configured, or of anything that answers requests.
 *
 * @example
 * await using client = createClient(await loadConfig(processHost()));
 * const pod = await client.get(Pod, { namespace: "default", name: "web" });
 */
export function createClient(target: ClusterConfig | Transport, options: ClientOptions = {}): Client {
  const { host = processHost(), userAgent = "capstan", onWarning = () => {} } = options;
  const transport = "request" in target ? target : lazyTransport(() => connect(target, host, options.limits));
  const sender = createSender({
    transport,
    clock: host.clock,
    random: () => host.random(),
    retry: options.retry ?? defaultRetry,
    timeoutMs: options.timeoutMs ?? 60_000,
    headers: { accept: "application/json", "user-agent": userAgent },
    server: "request" in target ? "(in process)" : target.cluster.server,
    noteHeaders: warnOnce(onWarning),
    onSent: options.onSent,
  });
  const close = async (): Promise<void> => transport.close?.();
  return {
    ...readCalls(sender),
    ...writeCalls(sender),
    ...watchCalls(sender),
    ...subresourceCalls(sender),
    ...podCalls(sender, transport),
    ...createDiscovery(sender, host.clock),
    transport,
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function connect(config: ClusterConfig, host: Host, limits?: Partial<ConnectionLimits>): Promise<Transport> {
  const { transportTo } = await import("./connect.ts");
  return transportTo(config, host, limits);
}
