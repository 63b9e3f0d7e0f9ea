/** Serves the health and metrics endpoints of an operator. */
import type { IncomingMessage, RequestListener, Server } from "node:http";
import { hostname } from "node:os";
import { systemClock } from "../clock.ts";
import { messageOf } from "../failure.ts";
import { listenAt } from "./listen-at.ts";
import type { Listening } from "./listen-at.ts";
import type { Log } from "../log.ts";
import { closable } from "./connections.ts";
import { healthEndpoint, metricsEndpoint } from "./endpoints.ts";
import type { EndpointResponse, EndpointRequest } from "./endpoints.ts";
import type { RunningOperator } from "../manager/operator.ts";
import type { Settings } from "./settings.ts";

/** Not imported: as an ES module node:http loads undici, 14 MiB that are not needed here. */
const { createServer } = process.getBuiltinModule("node:http");

export interface EndpointsOptions {
  readonly operator: RunningOperator;
  readonly settings: Settings;
  readonly log: Log;
  readonly guard: Parameters<typeof metricsEndpoint>[1];
}

/** Running servers and their addresses. */
export interface Endpoints extends AsyncDisposable {
  readonly addresses: readonly string[];
}

/** The timeout of a request, in milliseconds: probes and scrapers send theirs at once. */
const PATIENCE = 10_000;

/** Starts the servers that have an address. */
export async function openEndpoints({ operator, settings, log, guard }: EndpointsOptions): Promise<Endpoints> {
  const closes: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(closes.map((each) => each()));
  };
  const open = async (
    where: Listening,
    endpoint: (request: EndpointRequest) => Promise<EndpointResponse>,
    secure: boolean,
  ): Promise<void> => {
    if (where.address === "") return;
    const server = secure ? await secureServer(listener(endpoint, log)) : createServer(listener(endpoint, log));
    server.headersTimeout = server.requestTimeout = PATIENCE;
    const end = closable(server);
    await listenAt(server, where);
    closes.push(end);
  };
  const { healthAddress, metricsAddress, metricsSecure } = settings;
  const health = { address: healthAddress, what: "health", flag: "health-probe-bind-address" };
  const metrics = { address: metricsAddress, what: "metrics", flag: "metrics-bind-address" };
  try {
    await open(health, healthEndpoint(operator), false);
    await open(metrics, metricsEndpoint(operator, guard), metricsSecure);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    addresses: [healthAddress, metricsAddress].filter((address) => address !== ""),
    [Symbol.asyncDispose]: close,
  };
}

/** With a self-signed certificate: scrapers are authenticated by their token, and do not verify the name. */
async function secureServer(listener: RequestListener): Promise<Server> {
  const [{ createServer: createSecure }, { createAuthority, validFor }] = await Promise.all([
    import("node:https"),
    import("@capstan/pki"),
  ]);
  const now = new Date(systemClock.wall());
  const authority = createAuthority({ commonName: "capstan metrics", now, days: 3650 });
  const names = { dnsNames: ["localhost", hostname()] };
  const issued = authority.issue({
    ...validFor({ now, days: 3650 }),
    ...names,
    commonName: hostname(),
    usages: ["server"],
  });
  return createSecure({ cert: issued.certificate, key: issued.privateKey }, listener);
}

function listener(endpoint: (request: EndpointRequest) => Promise<EndpointResponse>, log: Log): RequestListener {
  return (request, response) => {
    endpoint(toEndpointRequest(request)).then(
      ({ status, type, body }) => response.writeHead(status, { "content-type": type }).end(body),
      (error: unknown) => {
        log.error(`could not answer ${request.url}: ${messageOf(error)}`);
        response.writeHead(500).end();
      },
    );
  };
}

function toEndpointRequest({ method = "GET", url = "/", headers, socket }: IncomingMessage): EndpointRequest {
  const { host, authorization } = headers;
  return { method, path: url, isLocal: isLoopback(socket.remoteAddress), host, authorization };
}

/**
 * Whether an address is 127.0.0.1 or ::1, also as an IPv4-mapped address. Other addresses of 127.0.0.0/8 do not count: a sidecar proxy of
 * a service mesh uses them for requests from elsewhere.
 */
function isLoopback(address = ""): boolean {
  return address === "::1" || /^(?:::ffff:)?127\.0\.0\.1$/u.test(address);
}
