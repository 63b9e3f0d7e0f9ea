/** Decides where the webhooks of a program are served: behind a Service in a cluster, on loopback beside one that runs there too. */
import type { Server } from "node:https";
import type { AddressInfo } from "node:net";
import { listenAt } from "../listen-at.ts";
import { httpsDoor } from "./https.ts";
import type { Reach } from "./registration.ts";
import type { Door } from "./webhooks.ts";

/** What decides. */
export interface Surroundings {
  /** `host:port` to listen on; undefined: the usual; empty: no webhooks. */
  readonly address: string | undefined;
  /** The address at which the API server can reach this program, if the user knows one. */
  readonly url: string | undefined;
  /** Whether somebody else tells the cluster how this program is reached. */
  readonly isRegisteredByOthers?: boolean;
  /** The name of the Service in front of this program. */
  readonly service: string;
  readonly namespace: string;
  readonly isInCluster: boolean;
  /** The address of the API server. */
  readonly server: string;
}

/** Where to listen and how that place is reached, or why there are no webhooks. */
export type Place =
  | {
      readonly listen: string;
      readonly reach: (port: number) => Reach;
      /** What happens to writes when the webhooks cannot be reached, unless the operator says otherwise. */
      readonly failurePolicy: "Fail" | "Ignore";
    }
  | { readonly listen: undefined; readonly why: string };

/** The port that a webhook Service usually points to, at every address, those of version 6 as well. */
const USUAL = ":9443";

/** Where webhooks are served. */
export function placeOf(surroundings: Surroundings): Place {
  const { address, url, service, namespace, isInCluster, isRegisteredByOthers = false, server } = surroundings;
  if (address === "") return { listen: undefined, why: "they were switched off with --webhook-bind-address=0" };
  const fixed = (reach: Reach): Place => ({ listen: address ?? USUAL, reach: () => reach, failurePolicy: "Fail" });
  if (url !== undefined) return fixed({ by: "url", url });
  if (isInCluster || isRegisteredByOthers) return fixed({ by: "service", namespace, name: service, port: 443 });
  if (isLoopback(server)) {
    const reach = (port: number): Reach => ({ by: "url", url: `https://127.0.0.1:${port}` });
    // The API server may sit in a container behind a forwarded port, from where this machine's loopback is out of reach.
    return { listen: address ?? "127.0.0.1:0", reach, failurePolicy: "Ignore" };
  }
  return {
    listen: undefined,
    why: `the API server at ${server} cannot be expected to reach this machine; give --webhook-url if it can`,
  };
}

/** A door at such a place. */
export function doorAt({ listen, reach }: Extract<Place, { readonly listen: string }>): Door {
  return httpsDoor(async (server: Server) => {
    await listenAt(server, { address: listen, what: "webhooks", flag: "webhook-bind-address" });
    return reach((server.address() as AddressInfo).port);
  });
}

function isLoopback(server: string): boolean {
  const { hostname } = new URL(server);
  return hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
}
