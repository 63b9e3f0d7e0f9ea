/** Subresources: views of an object, projections, actions, and connections to nodes. */
import type { Node } from "@capstan/kinds/v1";
import { apiErrors, toGoJson, StatusError, toFailure, type KubeObject, type Status } from "@capstan/model";
import { accessOf } from "../authorize/authorize-call.ts";
import type { Answer } from "../answer.ts";
import type { AnyDraft } from "../builtin/draft.ts";
import { headerOf } from "../call.ts";
import type { Action, ActionRules, ConnectRules, NodeConnector, ProxyPlace, ProxyTarget } from "../builtin/rules.ts";
import { readObject } from "../decode/object.ts";
import { endToEndHeaders, forwardedCall } from "../outgoing/forwarded-headers.ts";
import { throughProxy } from "../outgoing/proxied-page.ts";
import { parseProxyTarget } from "./proxy-target.ts";
import { splitProxied } from "./proxied-path.ts";
import { respondJson, respondPresented } from "../encode/respond.ts";
import type { ResourceExchange } from "../exchange.ts";
import type { ServedSubresource } from "../resources/resource.ts";
import { admit } from "./admit.ts";
import { connectOptions } from "./connect-options.ts";
import { findEntry, get } from "./get.ts";
import { managerOf, parseWriteOptions } from "./options.ts";
import { ensureNamespace } from "../metadata/system-fields.ts";
import { patch } from "./patch.ts";
import { getProjection, patchProjection, updateProjection, type ServedProjection } from "./projection.ts";
import { update } from "./update.ts";

/** Serves a request for a subresource. */
export function serveSubresource(exchange: ResourceExchange, subresource: ServedSubresource): Promise<Answer> {
  const { rules } = subresource;
  switch (rules?.type) {
    case undefined:
      throw notImplemented(exchange, subresource);
    case "view":
      return serveView(exchange);
    case "projection":
      return serveProjection(exchange, { ...subresource, rules });
    case "action":
      return act(exchange, { ...subresource, rules }, exchange);
    case "connect":
      return connect(exchange, rules);
  }
}

/** The error for a known subresource that this server does not implement. */
function notImplemented({ resource }: ResourceExchange, { name }: ServedSubresource): StatusError {
  const message = `${resource.resource}/${name} is not served by this API server`;
  return new StatusError(toFailure({ code: 501, reason: "", message }));
}

function serveView(exchange: ResourceExchange): Promise<Answer> {
  switch (exchange.info.verb) {
    case "get":
      return get(exchange);
    case "update":
      return update(exchange);
    default:
      return patch(exchange);
  }
}

function serveProjection(exchange: ResourceExchange, projection: ServedProjection): Promise<Answer> {
  switch (exchange.info.verb) {
    case "get":
      return getProjection(exchange, projection);
    case "update":
      return updateProjection(exchange, projection);
    default:
      return patchProjection(exchange, projection);
  }
}

export type ServedAction = Pick<ServedSubresource, "kind" | "codec"> & { readonly rules: ActionRules };

/** Serves a POST of an action on an object, which may have another path than the request. */
export async function act(exchange: ResourceExchange, served: ServedAction, on: ResourceExchange): Promise<Answer> {
  const { info, context, parts, query } = exchange;
  const options = parseWriteOptions(query, "CreateOptions");
  const { kind, codec, rules } = served;
  const given = await readObject(exchange, { ...kind, codec }, options.fieldValidation);
  ensureNamespace(given, info.namespace);
  rules.defaults?.(given);
  own(exchange, given, options.fieldManager);
  // A binding without a pod in its path names the pod in its body.
  const name = info.name === "" ? (given.metadata.name ?? "") : info.name;
  const source = { operation: "CREATE", name, options: options.object, dryRun: options.dryRun } as const;
  const admitted = await admit(exchange, { ...source, object: given });
  const body = admitted.object;
  rules.check?.({ name, body, context });
  const action = (): Action => {
    const { object } = findEntry({ ...on, info: { ...on.info, name } });
    return { name, object, body, context, writer: parts.writer };
  };
  rules.complete?.(action());
  await admitted.validate();
  const answered = await rules.run(action());
  await parts.store.settled();
  if (answered.kind === "Status") {
    const { code } = answered as unknown as { code?: number };
    return { ...respondJson(code ?? 201, toGoJson(answered), exchange.media), told: answered as Status };
  }
  return respondPresented(exchange, 201, answered);
}

/** Sets the managed fields of the body, which admission and the response show. */
function own({ subresource, resource, context, call }: ResourceExchange, draft: AnyDraft, fieldManager: string): void {
  const manager = managerOf(fieldManager, headerOf(call, "user-agent") ?? "");
  const owned = (subresource ?? resource).fieldManager?.update(undefined, draft, { manager, time: context.now });
  if (owned?.metadata.managedFields !== undefined) draft.metadata.managedFields = owned.metadata.managedFields;
}

/** Logs are read requests; every other connection passes CONNECT admission. */
async function admitConnection(exchange: ResourceExchange): Promise<void> {
  const object = connectOptions(exchange);
  // The options of a CONNECT review are null.
  const options = null as unknown as KubeObject;
  const admitted = await admit(exchange, {
    operation: "CONNECT",
    name: exchange.info.name,
    object,
    options,
    dryRun: false,
  });
  await admitted.validate();
}

/** A GET of a proxy without a path is redirected to its root, so that relative links work. */
function redirectToFolder({ call, info, path }: ResourceExchange): Answer | undefined {
  const { url, method, headers } = call;
  const isBare = info.subresource === "proxy" && info.rest.length === 0 && !path.endsWith("/");
  if (!isBare || (method !== "GET" && method !== "HEAD") || headers["upgrade"] !== undefined) return undefined;
  return { status: 301, headers: { location: `${path}/${url.slice(path.length)}` }, body: "" };
}

/** A server without nodes: requests that need no node still work. */
function noNodes({ parts, resource }: ResourceExchange): NodeConnector {
  const reach = (nodeName: string): void => {
    const node = parts.store.get("nodes", nodeName)?.object as Node | undefined;
    if (node === undefined) throw apiErrors.notFound(resource.qualified, nodeName);
    if ((node.status?.addresses ?? []).length > 0) return;
    const message = "no preferred addresses found; known addresses: []";
    throw new StatusError(toFailure({ code: 500, reason: "", message }));
  };
  return {
    reach,
    async handOver(nodeName) {
      reach(nodeName);
      const message = "this API server has no nodes to connect to";
      throw new StatusError(toFailure({ code: 501, reason: "", message }));
    },
  };
}

/** Forwards neither credentials nor hop-by-hop headers. A proxied pod cannot take over the connection. */
function guarded(connector: NodeConnector): NodeConnector {
  return {
    ...connector,
    async handOver(nodeName, request, call) {
      const forwarded = forwardedCall(call, request.verb === "proxy" ? "closed" : "kept");
      const answer = await connector.handOver(nodeName, request, forwarded);
      return { ...answer, headers: endToEndHeaders(answer.headers) };
    },
  };
}

async function connect(exchange: ResourceExchange, rules: ConnectRules): Promise<Answer> {
  const { parts, call, info } = exchange;
  if (info.subresource !== "log") await admitConnection(exchange);
  if (rules.creates === true) await checkMayCreate(exchange);
  const asked = parseProxyTarget(exchange);
  const nodes = guarded(parts.nodes ?? noNodes(exchange));
  const scope = { namespace: info.namespace, id: info.name, lookup: parts.lookup };
  const located = rules.locate?.(asked, scope);
  const object = located === undefined ? connectable(exchange, rules, { asked, nodes }) : undefined;
  const through = object === undefined ? located : rules.through?.(object, asked);
  const redirected = redirectToFolder(exchange);
  if (redirected !== undefined) return redirected;
  if (through !== undefined) return handThrough(exchange, nodes, through);
  if (object === undefined || rules.connect === undefined)
    throw apiErrors.notFound(exchange.resource.qualified, asked.name);
  return rules.connect(object, call, nodes);
}

/** A connection is not a read request, whatever its method: it needs the create verb. */
async function checkMayCreate(exchange: ResourceExchange): Promise<void> {
  const { parts, info, resource } = exchange;
  if (info.verb === "create") return;
  const { verdict, reason } = await parts.authorizer.authorize({ ...accessOf(exchange, info), verb: "create" });
  if (verdict !== "Allow") throw apiErrors.forbidden(resource.qualified, info.name, reason);
}

/** The object of a connection, after its options were validated. */
function connectable(
  exchange: ResourceExchange,
  rules: ConnectRules,
  { asked, nodes }: { readonly asked: ProxyTarget; readonly nodes: NodeConnector },
): KubeObject {
  const { query, resource, info } = exchange;
  rules.checkOptions?.(asked.name, query);
  const { object } = findEntry({ ...exchange, info: { ...info, name: asked.name } });
  const errors = rules.validate?.(object, query, nodes) ?? [];
  if (errors.length > 0) throw apiErrors.invalid(resource.qualifiedKind, object.metadata.name ?? "", errors);
  return object;
}

/** Passes a proxied request to the node, and rewrites the links in the response. */
async function handThrough({ call, info }: ResourceExchange, nodes: NodeConnector, place: ProxyPlace): Promise<Answer> {
  const { prefix, rest } = splitProxied(call.url, info.rest.length);
  const answer = await nodes.handOver(place.nodeName, { ...place.to, path: rest }, call);
  const requestHost = headerOf(call, "host") ?? "";
  return throughProxy(answer, { prefix, host: place.host, requestHost, signal: call.signal });
}
