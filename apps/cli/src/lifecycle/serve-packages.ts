/** Serves PackageManifests to the API server, which forwards to it what users ask: an HTTPS server with a certificate of its own. */
import { createServer, type Server } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { PeerCertificate, TLSSocket } from "node:tls";
import type { ClusterConfig } from "@capstan/client";
import { ConfigMap } from "@capstan/kinds/v1";
import {
  answerPackageRequest,
  CatalogSource,
  type ManagerSetting,
  type PackageApi,
  packageServerNames,
  registerPackageServer,
  unregisterPackageServer,
} from "@capstan/lifecycle";
import { type Authority, createAuthority, isTrusted, splitBundle, validFor } from "@capstan/pki";
import { CliError } from "../errors.ts";

/** A running server that the API server knows. */
export interface PackageServer extends AsyncDisposable {
  readonly port: number;
}

const DAYS = 90;
/** How long until an authority is looked up again for a client that is not trusted. */
const LOOK = 5_000;
const RENEWAL = 30 * 24 * 60 * 60_000;

/**
 * The address at which the API server reaches this process: that of the pod inside of a cluster, the machine itself if the API server
 * runs on it. Elsewhere it is not known, and undefined.
 */
export function packageHost(config: ClusterConfig): string | undefined {
  if (config.name === "in-cluster") return ownAddress();
  const { hostname } = new URL(config.cluster.server);
  return hostname === "localhost" || hostname.startsWith("127.") ? hostname : undefined;
}

function ownAddress(): string | undefined {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return addresses.find(({ internal, address }) => !internal && !address.startsWith("fe80"))?.address;
}

/** Starts the server and registers it. */
export async function openPackageServer(host: string, setting: ManagerSetting): Promise<PackageServer> {
  const { cluster, clock, namespace } = setting;
  const isTrustedClient = await clientCheck(setting);
  const now = new Date(clock.wall());
  const authority = createAuthority({ commonName: "capstan-package-server", now, days: 3650 });
  const api: PackageApi = {
    catalogs: setting.catalogs,
    globalNamespace: namespace,
    sources: () => cluster.list(CatalogSource),
    now: () => clock.wall(),
  };
  const server = createServer(
    { ...issue(authority, setting), requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      respond({ request, response, api, isTrustedClient }).catch(() => response.destroy());
    },
  );
  let timer = renewLater();
  function renewLater(): ReturnType<typeof clock.later> {
    return clock.later(RENEWAL, () => {
      server.setSecureContext(issue(authority, setting));
      timer = renewLater();
    });
  }
  const port = await listen(server, host);
  await registerPackageServer({ namespace, host, port, authority: authority.certificate }, cluster);
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      timer.cancel();
      await unregisterPackageServer(namespace, cluster).catch(() => {
        // A cluster that is gone needs no clean-up.
      });
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

function issue(
  authority: Authority,
  { clock, namespace }: ManagerSetting,
): { readonly cert: string; readonly key: string } {
  const dnsNames = packageServerNames(namespace);
  const validity = validFor({ now: new Date(clock.wall()), days: DAYS });
  const issued = authority.issue({ commonName: dnsNames[0] ?? "", dnsNames, usages: ["server"], ...validity });
  return { cert: issued.certificate, key: issued.privateKey };
}

interface FrontProxy {
  readonly authority: string;
  /** The names that its certificate may have; any if the list is empty. */
  readonly names: readonly string[];
}

/** By which certificate the API server is known: only what it forwards has been authorized. */
async function frontProxy({ cluster }: ManagerSetting): Promise<FrontProxy> {
  const key = { namespace: "kube-system", name: "extension-apiserver-authentication" };
  const data = (await cluster.get(ConfigMap, key))?.data ?? {};
  const authority = data["requestheader-client-ca-file"];
  if (authority === undefined) {
    throw new CliError(
      "BadInput",
      `the ConfigMap ${key.namespace}/${key.name} names no requestheader-client-ca-file: the API server does not aggregate others; start with --packages-host none`,
    );
  }
  const names = JSON.parse(data["requestheader-allowed-names"] ?? "[]") as readonly string[];
  return { authority, names };
}

type ClientCheck = (socket: TLSSocket) => Promise<boolean>;

/** Knows the front proxy. An API server that restarts may have another one, which is looked up when a client is not trusted. */
async function clientCheck(setting: ManagerSetting): Promise<ClientCheck> {
  const { clock } = setting;
  let proxy = await frontProxy(setting);
  let readAt = clock.now();
  return async (socket) => {
    const isKnown = (): boolean => isFrontProxy(socket, proxy, new Date(clock.wall()));
    if (isKnown()) return true;
    if (clock.now() - readAt < LOOK) return false;
    readAt = clock.now();
    proxy = await frontProxy(setting);
    return isKnown();
  };
}

async function listen(server: Server, host: string): Promise<number> {
  const isLocal = host === "localhost" || host.startsWith("127.");
  await new Promise<void>((done, failed) => {
    server.once("error", (cause) =>
      failed(new CliError("BadInput", `cannot serve PackageManifests: ${cause.message}`, { cause })),
    );
    server.listen(0, isLocal ? "127.0.0.1" : "0.0.0.0", done);
  });
  // A server that listens on a port has an address of this form.
  return (server.address() as AddressInfo).port;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly api: PackageApi;
  readonly isTrustedClient: ClientCheck;
}

async function respond({ request, response, api, isTrustedClient }: Exchange): Promise<void> {
  // The server speaks TLS only.
  if (!(await isTrustedClient(request.socket as TLSSocket))) {
    response.writeHead(401, { "content-type": "text/plain; charset=utf-8" });
    response.end("Unauthorized: PackageManifests are read through the API server\n");
    return;
  }
  const { method = "GET", url = "/", headers } = request;
  const known = headers["if-none-match"];
  const answer = await answerPackageRequest({ method, url, accept: headers.accept ?? "", known }, api);
  response.writeHead(answer.status, answer.headers);
  if (typeof answer.body === "string" || answer.body instanceof Uint8Array) response.end(answer.body);
  else await pipeline(Readable.from(answer.body), response);
}

/** Whether the client has a certificate of the front proxy. TLS has proved that it has the key, too. */
function isFrontProxy(socket: TLSSocket, { authority, names }: FrontProxy, now: Date): boolean {
  const { raw, subject } = socket.getPeerCertificate() as Partial<PeerCertificate>;
  if (raw === undefined) return false;
  const base64 = raw.toString("base64").replaceAll(/.{64}/gu, "$&\n");
  const certificate = `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`;
  const isKnown = names.length === 0 || names.includes(String(subject?.CN));
  return isKnown && isTrusted(certificate, { authorities: splitBundle(authority), now });
}
