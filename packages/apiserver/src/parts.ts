/** The parts of the server that the stages of a request use. */
import type { Access } from "./access.ts";
import type { AdmissionChain } from "./admit/admission.ts";
import type { Aggregation } from "./aggregate/aggregation.ts";
import type { Authenticator } from "./authenticate/authenticator.ts";
import type { LastWays } from "./authenticate/last-ways.ts";
import type { Authorizer } from "./authorize/authorizer.ts";
import type { Lookup, Writer } from "./builtin/context.ts";
import type { PortRange } from "./builtin/core/node-ports.ts";
import type { NodeConnector } from "./builtin/rules.ts";
import type { Call } from "./call.ts";
import type { Clock } from "./clock.ts";
import type { Gate } from "./flow/gate.ts";
import type { RequestMetrics } from "./paths/metrics.ts";
import type { Registry } from "./resources/registry.ts";
import type { Store } from "./store/store.ts";
import type { TurnWatch } from "./turn/turn-watch.ts";

/** The source of randomness; a simulator passes its own. */
export interface Randomness {
  uuid(): string;
  /** An integer from 0 up to, but not including, `limit`. */
  below(limit: number): number;
}

/** The parts of a server that its handlers share. */
export interface ServerParts {
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly store: Store;
  readonly registry: Registry;
  readonly lookup: Lookup;
  readonly writer: Writer;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  /** The last allowed way of impersonation of each user. */
  readonly lastWays: LastWays;
  readonly access: Access;
  readonly admission: AdmissionChain;
  readonly nodes: NodeConnector | undefined;
  readonly metrics: RequestMetrics;
  /** Measures the turns of the event loop. */
  readonly turns: TurnWatch;
  /** Limits and paces the requests of each flow. */
  readonly gate: Gate;
  /** The start time of the server, in milliseconds. */
  readonly started: number;
  /** The node port range of services. */
  readonly nodePorts: PortRange;
  /** The aggregated servers. */
  readonly aggregation: Aggregation;
  /** Reports an error that is a bug of this server. */
  report(error: unknown, call: Call): void;
}
