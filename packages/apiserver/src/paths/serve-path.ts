/** Non-resource paths: discovery, versions, health, metrics, OpenAPI. */
import { createHash } from "node:crypto";
import { toGoJson, type Json } from "@capstan/model";
import type { Answer } from "../answer.ts";
import type { JsonValue } from "../builtin/draft.ts";
import { headerOf, hostOf } from "../call.ts";
import {
  aggregated,
  type Aggregated,
  apiVersions,
  discover,
  groupDocument,
  groupList,
  resourceList,
  type DiscoveredGroup,
} from "../discovery/discovery.ts";
import { parseAccept } from "../encode/accept.ts";
import { checkRoute, negotiate, plainOffer, routedOffer, type Offer } from "../encode/media.ts";
import { respondJson } from "../encode/respond.ts";
import { toYaml } from "../encode/yaml.ts";
import type { Exchange } from "../exchange.ts";
import { serveOpenApi } from "../openapi/serve.ts";
import { encodeProtobuf } from "../protobuf/protobuf.ts";
import type { PathRequest } from "../route/request-info.ts";
import { methodNotAllowed, unknownResource } from "../verbs/serve-resource.ts";
import { healthPaths, serveHealth, serveHealthMetrics } from "./health.ts";
import { serveMetrics } from "./metrics.ts";
import { isOpenIdPath, serveOpenId } from "./openid.ts";
import { pageNotFound } from "./plain.ts";
import { serveFlagPage, serveStatusPage } from "./status-pages.ts";
import { servedVersion } from "./version.ts";

/** Serves a request for a path. */
export function servePath(exchange: Exchange, { path }: PathRequest): Promise<Answer> | Answer {
  const trimmed = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
  const parts = trimmed.split("/").slice(1);
  switch (parts[0]) {
    case "":
      return readable({ paths: rootPaths(exchange) });
    case "index.html":
      return parts.length === 1 ? readable({ paths: rootPaths(exchange) }) : pageNotFound();
    case "api":
      return serveDiscovery(exchange, withoutSlashes(path));
    case "apis":
      return serveDiscovery(exchange, parts[1] === "" ? parts : withoutSlashes(path));
    case "version":
      if (withoutSlashes(path).length > 1) throw unknownResource();
      return serveVersion(onlyGet(exchange));
    case "openapi":
      return serveOpenApi(exchange, path.split("/").slice(1));
    default:
      return (
        servePage(exchange, path) ?? openId(exchange, trimmed) ?? serveHealth(path, exchange.query) ?? pageNotFound()
      );
  }
}

/** The parts of a path of a web service, which ignores all slashes at its ends. */
function withoutSlashes(path: string): string[] {
  let end = path.length;
  while (path.charCodeAt(end - 1) === 47) end--;
  return path.slice(0, end).split("/").slice(1);
}

/** Pages about the server, which exist at the exact path only. */
function servePage(exchange: Exchange, path: string): Answer | undefined {
  switch (path) {
    case "/metrics":
      return serveMetrics(exchange.parts);
    case "/metrics/slis":
      return serveHealthMetrics();
    case "/statusz":
      return serveStatusPage(exchange);
    case "/flagz":
      return serveFlagPage(exchange);
    default:
      return undefined;
  }
}

function respond(exchange: Exchange, value: Json, offer: Offer): Answer {
  return respondJson(200, toGoJson(value), negotiate(exchange.call, exchange.query, offer));
}

function serveVersion({ call }: Exchange): Answer {
  checkRoute(call, ["application/json"]);
  return readable(servedVersion);
}

/** A document without a kind is always indented JSON, whatever the client accepts. */
function readable(value: Json): Answer {
  return { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify(value, undefined, 2) };
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
  if (root === "apis" && rest[0] === "") return pageNotFound();
  const group = groups.find(({ name }) => name === (root === "api" ? "" : rest[0]));
  const version = root === "api" ? rest[0] : rest[1];
  const forwarded = forwardVersion(exchange, rest[0] ?? "", root === "apis" ? version : undefined);
  if (forwarded !== undefined) return forwarded;
  if (root === "apis" && version === undefined) return serveGroup(exchange, rest[0] ?? "", group);
  return group === undefined || version === undefined ? pageNotFound() : serveDiscovered(exchange, group, version);
}

function serveDiscovered(exchange: Exchange, group: DiscoveredGroup, version: string): Answer {
  const isCustom = exchange.parts.registry.isCustomGroup(group.name);
  const found = group.versions.find((one) => one.version === version);
  if (found === undefined && isCustom) return pageNotFound();
  if (found === undefined) throw unknownResource();
  // Discovery of custom kinds responds to every method.
  const asked = isCustom ? exchange : onlyGet(exchange);
  const groupVersion = group.name === "" ? version : `${group.name}/${version}`;
  return respond(asked, resourceList(groupVersion, found.resources), isCustom ? plainOffer : routedOffer);
}

/** A group has its registered versions, even if none is served. It responds to every method. */
function serveGroup(exchange: Exchange, name: string, served: DiscoveredGroup | undefined): Answer {
  const registered = exchange.parts.aggregation.registered(name);
  const versions = registered.length > 0 ? registered : (served?.versions ?? []).map(({ version }) => version);
  if (name === "" || versions.length === 0) return pageNotFound();
  return respond(exchange, groupDocument({ name, versions: versions.map((version) => ({ version })) }), plainOffer);
}

/** The aggregated server describes a version that it serves. */
function forwardVersion(exchange: Exchange, group: string, version: string | undefined): Promise<Answer> | undefined {
  return version === undefined ? undefined : exchange.parts.aggregation.forward(exchange, { group, version });
}

function serveRoot(exchange: Exchange, isCore: boolean, groups: ReturnType<typeof discover>): Answer {
  const format = aggregatedFormat(headerOf(exchange.call, "accept") ?? "");
  if (format !== undefined) {
    const wanted = groups.filter(({ name }) => (name === "") === isCore);
    return serveAggregated(exchange, aggregated(wanted), format);
  }
  return respond(
    exchange,
    isCore ? apiVersions(hostOf(exchange.call)) : groupList(groups),
    isCore ? routedOffer : plainOffer,
  );
}

type AggregatedFormat = "json" | "yaml" | "vnd.kubernetes.protobuf";

function isAggregatedFormat(subtype: string): subtype is AggregatedFormat {
  return subtype === "json" || subtype === "yaml" || subtype === "vnd.kubernetes.protobuf";
}

function writeAggregated(document: Aggregated, format: AggregatedFormat): string | Uint8Array {
  switch (format) {
    case "json":
      return `${toGoJson(document)}\n`;
    case "yaml":
      return toYaml(document as unknown as JsonValue);
    case "vnd.kubernetes.protobuf":
      return encodeProtobuf(document);
  }
}

/** The first acceptable format decides: aggregated discovery, or the older documents. */
function aggregatedFormat(accept: string): AggregatedFormat | undefined {
  for (const { type, subtype, parameters } of parseAccept(accept)) {
    if (type !== "application" || !isAggregatedFormat(subtype)) continue;
    if (parameters.get("as") !== "APIGroupDiscoveryList") return undefined;
    if (parameters.get("g") === "apidiscovery.k8s.io" && parameters.get("v") === "v2") return subtype;
  }
  return undefined;
}

function serveAggregated({ call }: Exchange, document: Aggregated, format: AggregatedFormat): Answer {
  const { kind: _kind, apiVersion: _apiVersion, ...content } = document;
  const etag = `"${createHash("sha512").update(toGoJson(content)).digest("hex").toUpperCase()}"`;
  const headers = {
    "content-type": `application/${format};g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`,
    "cache-control": "public",
    etag,
    vary: "Accept",
  };
  if (headerOf(call, "if-none-match") === etag) return { status: 304, headers, body: "" };
  return { status: 200, headers, body: writeAggregated(document, format) };
}

function rootPaths({ parts }: Exchange): string[] {
  const paths = [
    "/.well-known/openid-configuration",
    "/flagz",
    "/metrics",
    "/metrics/slis",
    "/openapi/v2",
    "/openapi/v3",
    "/openapi/v3/",
    "/openid/v1/jwks",
    "/statusz",
    "/version",
  ];
  paths.push("/api", "/api/v1", "/apis", "/apis/", ...healthPaths());
  for (const { name, versions } of discover(parts.registry)) {
    if (name === "") continue;
    paths.push(`/apis/${name}`, ...versions.map(({ version }) => `/apis/${name}/${version}`));
  }
  return paths.sort();
}
