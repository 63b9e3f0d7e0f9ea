/** What the server is made of, as the stages of a request see it. */
import type { Access } from "./access.ts";
import type { AdmissionChain } from "./admit/admission.ts";
import type { Aggregation } from "./aggregate/aggregation.ts";
import type { Authenticator } from "./authenticate/authenticator.ts";
import type { LastWays } from "./authenticate/last-ways.ts";
import type { Authorizer } from "./authorize/authorizer.ts";
import type { Lookup, Writer } from "./builtin/context.ts";
import type { PortRange } from "./builtin/core/node-ports.ts";
import type { NodeDoor } from "./builtin/rules.ts";
import type { Call } from "./call.ts";
import type { Clock } from "./clock.ts";
import type { RequestMetrics } from "./paths/metrics.ts";
import type { Registry } from "./resources/registry.ts";
import type { Store } from "./store/store.ts";

/** Where randomness comes from; a simulator hands in its own. */
export interface Randomness {
  uuid(): string;
  /** A whole number from 0 up to, not including, `limit`. */
  below(limit: number): number;
}

/** The parts that serve requests. */
export interface ServerParts {
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly store: Store;
  readonly registry: Registry;
  readonly lookup: Lookup;
  readonly writer: Writer;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  /** How users were last allowed to act as others. */
  readonly lastWays: LastWays;
  readonly access: Access;
  readonly admission: AdmissionChain;
  readonly nodes: NodeDoor | undefined;
  readonly metrics: RequestMetrics;
  /** When the server began, in milliseconds. */
  readonly started: number;
  /** The ports of nodes that services may have. */
  readonly nodePorts: PortRange;
  /** The servers that API services name. */
  readonly aggregation: Aggregation;
  /** Told about errors that are bugs of ours. */
  report(error: unknown, call: Call): void;
}
