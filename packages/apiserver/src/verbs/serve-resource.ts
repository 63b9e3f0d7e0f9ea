/** Dispatches a resource request to its verb. */
import { apiErrors, StatusError, toFailure } from "@capstan/model";
import type { Answer } from "../answer.ts";
import { annotate } from "../audit/trail.ts";
import type { RuleContext } from "../builtin/context.ts";
import { checkRouted, negotiate, type Offer, type OutputMedia } from "../encode/media.ts";
import type { Exchange, ResourceExchange } from "../exchange.ts";
import { pageNotFound } from "../paths/plain.ts";
import type { ServedResource, ServedSubresource } from "../resources/resource.ts";
import type { ResourceRequest } from "../route/request-info.ts";
import { ruleContext } from "./context.ts";
import { serveComponents } from "./component-status.ts";
import { create } from "./create.ts";
import { removeCollection } from "./delete-collection.ts";
import { remove } from "./delete.ts";
import { get } from "./get.ts";
import { list } from "./list.ts";
import { patch } from "./patch.ts";
import { review } from "./review.ts";
import { act, serveSubresource } from "./subresource.ts";
import { update } from "./update.ts";
import { watch } from "./watch.ts";

/** Serves a resource request. */
export function serveResource(exchange: Exchange, info: ResourceRequest): Promise<Answer> | Answer {
  const { registry } = exchange.parts;
  if (info.group === "" && info.path.startsWith("/apis/")) return pageNotFound();
  // The proxy verb is not served any more; only its authorization remains.
  const resource = info.verb === "proxy" ? undefined : registry.find(info.group, info.version, info.resource);
  if (resource === undefined) {
    const forwarded = exchange.parts.aggregation.forward(exchange, info);
    if (forwarded !== undefined) return forwarded;
    if (!registry.hasGroup(info.group) || registry.isCustomGroup(info.group)) return pageNotFound();
    throw unknownResource();
  }
  if (resource.isCustom && isAstray(resource, info)) return pageNotFound();
  return serveFound(exchange, info, resource);
}

/** Paths of custom kinds exist only in their scope; across namespaces they can only be listed and watched. */
function isAstray({ namespaced }: ServedResource, { namespace, verb }: ResourceRequest): boolean {
  return namespaced ? namespace === "" && verb !== "list" && verb !== "watch" : namespace !== "";
}

function serveFound(exchange: Exchange, info: ResourceRequest, resource: ServedResource): Promise<Answer> | Answer {
  // Custom kinds send deprecation warnings before the request is checked.
  if (resource.isCustom) warnOfDeprecation(exchange, resource);
  checkScope(resource, info);
  if (!resource.isCustom) checkDepth(info);
  const subresource = findSubresource(resource, info);
  const isComponents = resource.storage === "componentstatuses";
  if (isComponents && info.verb === "watch" && !info.isWatchPath) throw unwatched(exchange, resource);
  checkMethod(exchange.call.method, resource, subresource, info);
  checkNamespace(resource, info);
  const media = negotiateWarned(exchange, info, resource);
  const full = new RequestExchange(exchange, { info, resource, subresource, media });
  if (resource.storage === "bindings") return bind(full);
  if (isComponents) return serveComponents(full);
  return subresource === undefined ? serveVerb(full) : serveSubresource(full, subresource);
}

/** A resource with list but without watch rejects the watch only at this point. */
function unwatched(exchange: Exchange, resource: ServedResource): StatusError {
  warnOfDeprecation(exchange, resource);
  return apiErrors.methodNotSupported({ group: resource.group, resource: resource.resource }, "watch");
}

/** A Binding is an action on a pod, whatever its path. */
function bind(exchange: RequestExchange): Promise<Answer> {
  const { info, media, parts } = exchange;
  const resource = parts.registry.find("", "v1", "pods");
  const subresource = resource?.subresources.get("binding");
  if (resource === undefined || subresource?.rules?.type !== "action") throw unknownResource();
  const asked = { ...info, resource: resource.resource, subresource: subresource.name };
  const pods = new RequestExchange(exchange, { info: asked, resource, subresource, media });
  return act(exchange, { ...subresource, rules: subresource.rules }, pods);
}

/** Deprecation warnings are sent for unsupported `as=` transforms, but not for unsupported media types (406). */
function negotiateWarned(exchange: Exchange, info: ResourceRequest, resource: ServedResource): OutputMedia {
  const { call, query } = exchange;
  const offer = offerOf(resource, info);
  if (resource.deprecationWarning !== undefined) {
    checkRouted(call, offer);
    warnOfDeprecation(exchange, resource);
  }
  return negotiate(call, query, offer);
}

function warnOfDeprecation({ warnings, trail }: Exchange, { deprecationWarning }: ServedResource): void {
  if (deprecationWarning === undefined) return;
  warnings.add(deprecationWarning);
  annotate(trail, "k8s.io/deprecated", "true");
}

function serveVerb(exchange: ResourceExchange): Promise<Answer> | Answer {
  switch (exchange.info.verb) {
    case "get":
      return get(exchange);
    case "list":
      return list(exchange);
    case "watch":
      return watch(exchange);
    case "create":
      return exchange.resource.rules.serves === "answers" ? review(exchange) : create(exchange);
    case "update":
      return update(exchange);
    case "patch":
      return patch(exchange);
    case "delete":
      return remove(exchange);
    case "deletecollection":
      return removeCollection(exchange);
    default:
      throw methodNotAllowed();
  }
}

/** A namespaced resource needs a namespace except for lists; a cluster-scoped one must not have one. */
function checkScope(resource: ServedResource, info: ResourceRequest): void {
  if (resource.namespaced) {
    if (info.namespace === "" && info.name !== "" && !info.isScoped) throw unknownResource();
  } else if (info.namespace !== "" && (info.isScoped || info.resource !== "namespaces")) throw unknownResource();
}

/** Built-in kinds have a route for each path: a watch ends at the name, and an empty part is no subresource. */
function checkDepth({ isWatchPath, parts }: ResourceRequest): void {
  if (parts.length > 2 && (isWatchPath || parts[2] === "")) throw unknownResource();
}

/** A namespace may be named and empty. Lists are then those of all namespaces, and writes find out themselves. */
function checkNamespace(resource: ServedResource, { isScoped, namespace, name, verb }: ResourceRequest): void {
  if (!resource.namespaced || !isScoped || namespace !== "" || verb === "update") return;
  if (name !== "") throw apiErrors.badRequest("Namespace parameter required.");
}

function findSubresource(resource: ServedResource, info: ResourceRequest): ServedSubresource | undefined {
  if (info.subresource === "") return undefined;
  const found = resource.subresources.get(info.subresource);
  // The server of custom kinds does not look at what follows a subresource.
  if (resource.isCustom) {
    if (found === undefined) throw apiErrors.notFound(resource.qualified, info.name);
  } else if (found === undefined || (info.rest.length > 0 && info.subresource !== "proxy")) throw unknownResource();
  return found;
}

/** Checks the method against the shape of the path and the verbs of the resource. */
function checkMethod(
  method: string,
  resource: ServedResource,
  subresource: ServedSubresource | undefined,
  info: ResourceRequest,
): void {
  if (subresource !== undefined) return checkViewMethod(method, resource, { subresource, verb: info.verb });
  // Custom kinds have no routes: every method on such a path watches.
  if (info.isWatchPath) return resource.isCustom ? undefined : checkWatchMethod(method, resource);
  if (resource.isCustom) return checkCustomMethod(method, resource, info);
  const possible = info.name === "" ? collectionVerbs : objectVerbs;
  const onAllNamespaces = resource.namespaced && info.namespace === "" && !info.isScoped;
  const existing = onAllNamespaces ? ["list"] : possible;
  if (!existing.some((verb) => resource.verbs.includes(verb))) throw unknownResource();
  const isAllowed = possible.includes(info.verb) && resource.verbs.includes(info.verb);
  if (!isAllowed || method === "HEAD" || (onAllNamespaces && method !== "GET")) throw methodNotAllowed();
}

function checkViewMethod(
  method: string,
  { isCustom, qualified }: ServedResource,
  { subresource, verb }: { readonly subresource: ServedSubresource; readonly verb: string },
): void {
  if (isCustom ? subresource.verbs.includes(verb) : isServedMethod(method, subresource)) return;
  throw isCustom ? apiErrors.methodNotSupported(qualified, verb) : methodNotAllowed();
}

function checkWatchMethod(method: string, { verbs }: ServedResource): void {
  if (method !== "GET" || !verbs.includes("watch")) throw methodNotAllowed();
}

/** Custom kinds have no routes per method: every method with a verb is tried. */
function checkCustomMethod(method: string, { qualified }: ServedResource, { name }: ResourceRequest): void {
  if (method === "PUT" || method === "PATCH") {
    if (name === "") throw apiErrors.badRequest("name must be provided");
    return;
  }
  if (!verbsOfMethod.has(method) && method !== "HEAD") throw apiErrors.methodNotSupported(qualified, "");
}

/** The verbs of collections and of objects. A path without any served verb does not exist. */
const collectionVerbs = ["list", "watch", "create", "deletecollection"];
const objectVerbs = ["get", "update", "patch", "delete"];

const verbsOfMethod: ReadonlyMap<string, string> = new Map([
  ["GET", "get"],
  ["POST", "create"],
  ["PUT", "update"],
  ["PATCH", "patch"],
  ["DELETE", "delete"],
]);

function isServedMethod(method: string, { name, verbs }: ServedSubresource): boolean {
  const verb = verbsOfMethod.get(method);
  if (verb !== undefined) return verbs.includes(verb);
  return name === "proxy" && (method === "HEAD" || method === "OPTIONS");
}

const builtinOffer: Offer = { formats: ["json", "yaml", "protobuf"], transforms: "all", route: { also: [] } };
const builtinListOffer: Offer = {
  ...builtinOffer,
  route: { also: ["application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"] },
};
const customOffer: Offer = { formats: ["json", "yaml"], transforms: "all" };

const rowlessOffer: Offer = { ...builtinOffer, transforms: "metadata" };

/** Reviews have no table, and neither have these resources in kube-apiserver. */
const rowless = new Set([
  "apiservices/status",
  "bindings/",
  "certificatesigningrequests/approval",
  "customresourcedefinitions/status",
  "devicetaintrules/status",
  "namespaces/finalize",
  "podgroups/status",
  "pods/binding",
  "pods/ephemeralcontainers",
  "pods/eviction",
  "pods/resize",
  "resourceclaims/status",
  "resourcepoolstatusrequests/status",
  "serviceaccounts/token",
]);

function offerOf(resource: ServedResource, { verb, subresource }: ResourceRequest): Offer {
  if (resource.isCustom) return customOffer;
  if (resource.rules.serves === "answers" || rowless.has(`${resource.resource}/${subresource}`)) return rowlessOffer;
  return verb === "list" || verb === "watch" ? builtinListOffer : builtinOffer;
}

/** The error for an unknown path below a known group version. */
export function unknownResource(): StatusError {
  const message = "the server could not find the requested resource";
  return new StatusError(toFailure({ code: 404, reason: "NotFound", message, details: {} }));
}

/** The error for a method that a path does not support. */
export function methodNotAllowed(): StatusError {
  return apiErrors.genericServerResponse({
    code: 405,
    verb: "",
    resource: { group: "", resource: "" },
    name: "",
    serverMessage: "",
    retryAfterSeconds: 0,
    isUnexpected: false,
  });
}

interface ResourceParts {
  readonly info: ResourceRequest;
  readonly resource: ServedResource;
  readonly subresource: ServedSubresource | undefined;
  readonly media: OutputMedia;
}

/** Reads need no rule context, so it is created on demand. */
class RequestExchange implements ResourceExchange {
  readonly call: Exchange["call"];
  readonly path: string;
  readonly query: URLSearchParams;
  readonly auditId: string;
  readonly user: Exchange["user"];
  readonly parts: Exchange["parts"];
  readonly warnings: Set<string>;
  readonly turns: Exchange["turns"];
  readonly trail: Exchange["trail"];
  readonly info: ResourceRequest;
  readonly resource: ServedResource;
  readonly subresource: ServedSubresource | undefined;
  readonly media: OutputMedia;
  #context: RuleContext | undefined;

  constructor(exchange: Exchange, { info, resource, subresource, media }: ResourceParts) {
    this.call = exchange.call;
    this.path = exchange.path;
    this.query = exchange.query;
    this.auditId = exchange.auditId;
    this.user = exchange.user;
    this.parts = exchange.parts;
    this.warnings = exchange.warnings;
    this.turns = exchange.turns;
    this.trail = exchange.trail;
    this.info = info;
    this.resource = resource;
    this.subresource = subresource;
    this.media = media;
  }

  get context(): RuleContext {
    return (this.#context ??= ruleContext({
      parts: this.parts,
      user: this.user,
      namespace: this.info.namespace,
      pathName: this.info.name,
      version: this.resource.version,
      dryRun: this.query.has("dryRun"),
      warnings: this.warnings,
      trail: this.trail,
    }));
  }
}
