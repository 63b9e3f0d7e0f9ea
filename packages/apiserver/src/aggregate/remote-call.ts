/** Calls the server behind an APIService in the name of a user. */
import { posix } from "node:path";
import type { UserInfo } from "../authenticate/user.ts";
import type { Endpoint, OutgoingAnswer, OutgoingCall, OutgoingCaller, ServiceResolver } from "../outgoing/outgoing.ts";
import { portOf, type RemoteService } from "./api-service.ts";

export interface RemoteParts {
  readonly call: OutgoingCaller;
  readonly resolveService: ServiceResolver;
  /** The front-proxy client certificate, by which the other server trusts the X-Remote headers. */
  readonly identity: () => OutgoingCall["identity"];
}

/** One request to the other server. */
export interface RemoteRequest extends Pick<
  OutgoingCall,
  "method" | "headers" | "body" | "signal" | "streams" | "upgrade"
> {
  /** Path and query. */
  readonly path: string;
  readonly user: UserInfo;
  /** Whether this is a forwarded client request; the other server then gets the X-Forwarded headers. */
  readonly isForwarded?: boolean;
}

/** Sends the request; rejects with an OutgoingError if there is no response. */
export async function callRemote(
  service: RemoteService,
  { path, user, headers, isForwarded = false, ...request }: RemoteRequest,
  { call, resolveService, identity }: RemoteParts,
): Promise<OutgoingAnswer> {
  const { namespace, name } = service.spec.service;
  const port = portOf(service);
  const connectTo = await resolveService(namespace, name, port);
  const { caBundle = "", insecureSkipTLSVerify } = service.spec;
  return call({
    ...request,
    url: `https://${name}.${namespace}.svc:${port}${path}`,
    headers: { ...headers, ...(isForwarded ? wayHeaders(connectTo, path) : {}), ...userHeaders(user) },
    connectTo,
    ...(connectTo === undefined ? {} : { host: hostAndPort(connectTo) }),
    insecure: insecureSkipTLSVerify === true,
    authority: caBundle === "" ? undefined : Buffer.from(caBundle, "base64").toString("utf8"),
    identity: identity(),
  });
}

/** The X-Forwarded headers: where the request was sent, and for what. */
function wayHeaders(place: Endpoint | undefined, path: string): { [header: string]: string } {
  const [uri = ""] = path.split("?");
  const headers = { "x-forwarded-uri": posix.normalize(uri), "x-forwarded-proto": "https" };
  return place === undefined ? headers : { ...headers, "x-forwarded-host": hostAndPort(place) };
}

function hostAndPort({ host, port }: Endpoint): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** The user in the X-Remote headers that a front proxy may set. */
export function userHeaders({ name, uid, groups, extra }: UserInfo): { [header: string]: string | string[] } {
  const headers: { [header: string]: string | string[] } = { "x-remote-user": name };
  if (uid !== undefined && uid !== "") headers["x-remote-uid"] = uid;
  if (groups.length > 0) headers["x-remote-group"] = [...groups];
  for (const [key, values] of Object.entries(extra ?? {})) {
    headers[`x-remote-extra-${encodeURIComponent(key).toLowerCase()}`] = [...values];
  }
  return headers;
}
