/** Decides where the webhooks of a program are served: behind a Service in a cluster, or on loopback beside a local cluster. */
import type { Server } from "node:https";
import type { AddressInfo } from "node:net";
import { listenAt } from "../program/listen-at.ts";
import { httpsEndpoint } from "./https.ts";
import type { Reach } from "./registration.ts";
import type { OpenEndpoint } from "./webhooks.ts";

/** The inputs of the decision. */
export interface Surroundings {
  /** `host:port` to listen on; undefined: the default; empty: no webhooks. */
  readonly address: string | undefined;
  /** The URL at which the API server can reach this program, if the user sets one. */
  readonly url: string | undefined;
  /** Whether another program registers the webhooks. */
  readonly isRegisteredByOthers?: boolean;
  /** The name of this program's Service. */
  readonly service: string;
  readonly namespace: string;
  readonly isInCluster: boolean;
  /** The URL of the API server. */
  readonly server: string;
}

/** The address and how it is reached, or why there are no webhooks. */
export type Place =
  | {
      readonly listen: string;
      readonly reach: (port: number) => Reach;
      /** The failure policy, unless the operator sets one. */
      readonly failurePolicy: "Fail" | "Ignore";
    }
  | { readonly listen: undefined; readonly why: string };

/** The usual target port of a webhook Service, on all addresses, IPv6 included. */
const USUAL = ":9443";

/** The place where webhooks are served. */
export function placeOf(surroundings: Surroundings): Place {
  const { address, url, service, namespace, isInCluster, isRegisteredByOthers = false, server } = surroundings;
  if (address === "") return { listen: undefined, why: "they were switched off with --webhook-bind-address=0" };
  const fixed = (reach: Reach): Place => ({ listen: address ?? USUAL, reach: () => reach, failurePolicy: "Fail" });
  if (url !== undefined) return fixed({ by: "url", url });
  if (isInCluster || isRegisteredByOthers) return fixed({ by: "service", namespace, name: service, port: 443 });
  if (isLoopback(server)) {
    const reach = (port: number): Reach => ({ by: "url", url: `https://127.0.0.1:${port}` });
    // The API server may run in a container behind a forwarded port, from which this machine's loopback cannot be reached.
    return { listen: address ?? "127.0.0.1:0", reach, failurePolicy: "Ignore" };
  }
  return {
    listen: undefined,
    why: `the API server at ${server} cannot be expected to reach this machine; give --webhook-url if it can`,
  };
}

/** An endpoint at such a place. */
export function endpointAt({ listen, reach }: Extract<Place, { readonly listen: string }>): OpenEndpoint {
  return httpsEndpoint(async (server: Server) => {
    await listenAt(server, { address: listen, what: "webhooks", flag: "webhook-bind-address" });
    return reach((server.address() as AddressInfo).port);
  });
}

function isLoopback(server: string): boolean {
  const { hostname } = new URL(server);
  return hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
}
