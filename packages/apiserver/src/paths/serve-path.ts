/** Paths that are no resources: discovery, versions, health, metrics, OpenAPI. */
import { createHash } from "node:crypto";
import { toGoJson, type Json } from "@capstan/model";
import type { Answer } from "../answer.ts";
import { headerOf, hostOf } from "../call.ts";
import { aggregated, apiVersions, discover, groupDocument, groupList, resourceList } from "../discovery/discovery.ts";
import { parseAccept } from "../encode/accept.ts";
import { checkRoute, negotiate, plainOffer, routedOffer, type Offer } from "../encode/media.ts";
import { respondJson } from "../encode/respond.ts";
import type { Exchange } from "../exchange.ts";
import { serveOpenApi } from "../openapi/serve.ts";
import type { PathRequest } from "../route/request-info.ts";
import { methodNotAllowed, unknownResource } from "../verbs/serve-resource.ts";
import { healthPaths, serveHealth } from "./health.ts";
import { serveMetrics } from "./metrics.ts";
import { isOpenIdPath, serveOpenId } from "./openid.ts";
import { pageNotFound } from "./plain.ts";
import { servedVersion } from "./version.ts";

/** Answers a request for a path. */
export function servePath(exchange: Exchange, { path }: PathRequest): Promise<Answer> | Answer {
  const trimmed = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
  const parts = trimmed.split("/").slice(1);
  switch (parts[0]) {
    case "":
      return respond(exchange, { paths: rootPaths(exchange) }, plainOffer);
    case "api":
    case "apis":
      return serveDiscovery(exchange, parts);
    case "version":
      return parts.length === 1 ? serveVersion(onlyGet(exchange)) : pageNotFound();
    case "metrics":
      return path === "/metrics" ? serveMetrics(exchange.parts) : pageNotFound();
    case "openapi":
      return serveOpenApi(exchange, parts);
    default:
      return openId(exchange, trimmed) ?? serveHealth(path, exchange.query) ?? pageNotFound();
  }
}

function respond(exchange: Exchange, value: Json, offer: Offer): Answer {
  return respondJson(200, toGoJson(value), negotiate(exchange.call, exchange.query, offer));
}

/** The version is JSON for everybody, whatever they would accept: it has no kind that other formats could name. */
function serveVersion({ call }: Exchange): Answer {
  checkRoute(call, ["application/json"]);
  return {
    status: 200,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(servedVersion, undefined, 2),
  };
}

function openId(exchange: Exchange, path: string): Answer | undefined {
  return isOpenIdPath(path) ? serveOpenId(onlyGet(exchange), path) : undefined;
}

function onlyGet(exchange: Exchange): Exchange {
  if (exchange.call.method !== "GET") throw methodNotAllowed();
  return exchange;
}

/** `/api`, `/apis`, `/api/v1`, `/apis/<group>`, `/apis/<group>/<version>`. */
function serveDiscovery(exchange: Exchange, [root, ...rest]: readonly string[]): Answer | Promise<Answer> {
  const groups = discover(exchange.parts.registry, exchange.parts.aggregation.versions());
  if (rest.length === 0) return serveRoot(root === "api" ? onlyGet(exchange) : exchange, root === "api", groups);
  const group = groups.find(({ name }) => name === (root === "api" ? "" : rest[0]));
  const version = root === "api" ? rest[0] : rest[1];
  const forwarded = forwardVersion(exchange, rest[0] ?? "", root === "apis" ? version : undefined);
  if (forwarded !== undefined) return forwarded;
  if (group === undefined) return pageNotFound();
  const isCustom = exchange.parts.registry.isCustomGroup(group.name);
  // What groups and custom kinds are told about is told to whoever asks, whatever the method.
  if (version === undefined) return respond(exchange, groupDocument(group), plainOffer);
  const found = group.versions.find((one) => one.version === version);
  if (found === undefined && isCustom) return pageNotFound();
  if (found === undefined) throw unknownResource();
  const asked = isCustom ? exchange : onlyGet(exchange);
  const groupVersion = group.name === "" ? version : `${group.name}/${version}`;
  return respond(asked, resourceList(groupVersion, found.resources), isCustom ? plainOffer : routedOffer);
}

/** A version that another server serves is described by that server. */
function forwardVersion(exchange: Exchange, group: string, version: string | undefined): Promise<Answer> | undefined {
  return version === undefined ? undefined : exchange.parts.aggregation.forward(exchange, { group, version });
}

function serveRoot(exchange: Exchange, isCore: boolean, groups: ReturnType<typeof discover>): Answer {
  if (wantsAggregated(headerOf(exchange.call, "accept") ?? "")) {
    const wanted = groups.filter(({ name }) => (name === "") === isCore);
    return serveAggregated(exchange, aggregated(wanted));
  }
  const answer = respond(
    exchange,
    isCore ? apiVersions(hostOf(exchange.call)) : groupList(groups),
    isCore ? routedOffer : plainOffer,
  );
  answer.headers["vary"] = "Accept";
  return answer;
}

/** The first acceptable form decides: all at once, or the older documents. */
function wantsAggregated(accept: string): boolean {
  for (const { type, subtype, parameters } of parseAccept(accept)) {
    if (`${type}/${subtype}` !== "application/json") continue;
    if (parameters.get("as") !== "APIGroupDiscoveryList") return false;
    if (parameters.get("g") === "apidiscovery.k8s.io" && parameters.get("v") === "v2") return true;
  }
  return false;
}

function serveAggregated({ call }: Exchange, document: Json): Answer {
  const body = `${toGoJson(document)}\n`;
  const etag = `"${createHash("sha512").update(body).digest("hex").toUpperCase()}"`;
  const headers = {
    "content-type": "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
    "cache-control": "public",
    etag,
    vary: "Accept",
  };
  if (headerOf(call, "if-none-match") === etag) return { status: 304, headers, body: "" };
  return { status: 200, headers, body };
}

function rootPaths({ parts }: Exchange): string[] {
  const paths = [
    "/.well-known/openid-configuration",
    "/metrics",
    "/openapi/v2",
    "/openapi/v3",
    "/openapi/v3/",
    "/openid/v1/jwks",
    "/version",
  ];
  paths.push("/api", "/api/v1", "/apis", "/apis/", ...healthPaths());
  for (const { name, versions } of discover(parts.registry)) {
    if (name === "") continue;
    paths.push(`/apis/${name}`, ...versions.map(({ version }) => `/apis/${name}/${version}`));
  }
  return paths.sort();
}
