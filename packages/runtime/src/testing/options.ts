/** Options of a test world, and the server that it runs on. */
import type { Api } from "../api.ts";
import type { Log } from "../log.ts";
import type { WebhookHandler } from "../webhook/handler.ts";
import type { VirtualClock } from "./clock.ts";

/** The API server of the test: a fetch function, or the API calls themselves. It is injected: the runtime does not depend on a server. */
export type TestServer = ({ readonly fetch: (request: Request) => Promise<Response> } | { readonly api: Api }) & {
  /** Connects the server with the webhooks of the operator, without a socket; absent: webhooks and conversions are not called. */
  readonly serveWebhooks?: (handler: WebhookHandler) => void;
};

/**
 * Options of a test world.
 *
 * @example
 * const options: TestOptions = { namespace: "shop", failures: "expected" };
 * await using world = await testOperator(app, options);
 */
export interface TestOptions {
  /** The clock of this world, for servers that share its time. */
  readonly clock?: VirtualClock;
  /**
   * The seed of every random value: delays of the operator, and uids, generated names, addresses and ports of the API server. Default: 0.
   * The same seed gives the same world.
   */
  readonly seed?: number;
  /** The operator's random numbers, instead of those of the seed. Without a seed, they determine the API server's, too. */
  readonly random?: () => number;
  readonly log?: Log;
  /** The values of the operator's own settings. Default: their defaults. */
  readonly settings?: object;
  /** The default namespace of objects. Default: `default`. */
  readonly namespace?: string;
  /** Whether objects may still fail when the world has settled. Default: `refused`. */
  readonly failures?: "refused" | "expected";
}
