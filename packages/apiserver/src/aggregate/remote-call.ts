/** Calls to the server behind an API service, in the name of a user. */
import { posix } from "node:path";
import type { UserInfo } from "../authenticate/user.ts";
import type { Endpoint, OutgoingAnswer, OutgoingCall, OutgoingCaller, ServiceResolver } from "../outgoing/outgoing.ts";
import { portOf, type RemoteService } from "./api-service.ts";

/** What calls need. */
export interface RemoteParts {
  readonly call: OutgoingCaller;
  readonly resolveService: ServiceResolver;
  /** The certificate by which the other server knows that it may believe the names it is told. */
  readonly identity: () => OutgoingCall["identity"];
}

/** What is asked of the other server. */
export interface RemoteRequest extends Pick<
  OutgoingCall,
  "method" | "headers" | "body" | "signal" | "streams" | "upgrade"
> {
  /** Path and query. */
  readonly path: string;
  readonly user: UserInfo;
  /** Whether somebody else's request is handed on: the other server is told how it was reached. */
  readonly isForwarded?: boolean;
}

/** Asks; rejects with an OutgoingError when there is no answer. */
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

/** Where the request was sent, and for what. */
function wayHeaders(place: Endpoint | undefined, path: string): { [header: string]: string } {
  const [uri = ""] = path.split("?");
  const headers = { "x-forwarded-uri": posix.normalize(uri), "x-forwarded-proto": "https" };
  return place === undefined ? headers : { ...headers, "x-forwarded-host": hostAndPort(place) };
}

function hostAndPort({ host, port }: Endpoint): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Who asks, in the headers that the front proxy of a server may set. */
export function userHeaders({ name, uid, groups, extra }: UserInfo): { [header: string]: string | string[] } {
  const headers: { [header: string]: string | string[] } = { "x-remote-user": name };
  if (uid !== undefined && uid !== "") headers["x-remote-uid"] = uid;
  if (groups.length > 0) headers["x-remote-group"] = [...groups];
  for (const [key, values] of Object.entries(extra ?? {})) {
    headers[`x-remote-extra-${encodeURIComponent(key).toLowerCase()}`] = [...values];
  }
  return headers;
}
