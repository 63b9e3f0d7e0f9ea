/** Authorization of a request. */
import { annotate } from "../audit/trail.ts";
import type { Exchange } from "../exchange.ts";
import type { RequestInfo } from "../route/request-info.ts";
import type { AccessAttributes } from "./authorizer.ts";
import { toDenied } from "./forbidden.ts";

/** Throws 403 if the user may not make the request. */
export async function authorizeCall(exchange: Exchange, info: RequestInfo): Promise<void> {
  const asked = accessOf(exchange, info);
  const decision = await exchange.parts.authorizer.authorize(asked);
  const isAllowed = decision.verdict === "Allow";
  annotate(exchange.trail, "authorization.k8s.io/decision", isAllowed ? "allow" : "forbid");
  annotate(exchange.trail, "authorization.k8s.io/reason", decision.reason);
  if (!isAllowed) throw toDenied(asked, decision.reason);
}

const selectingVerbs = new Set(["list", "watch", "deletecollection"]);

/** The attributes of a request for authorization. */
export function accessOf({ user, query }: Pick<Exchange, "user" | "query">, info: RequestInfo): AccessAttributes {
  if (info.type === "path") return { type: "path", user, verb: info.verb, path: info.path };
  const { verb, group, version, resource, subresource, namespace } = info;
  const access = { type: "resource", user, verb, group, version, resource, subresource, namespace } as const;
  const fieldSelector = query.get("fieldSelector");
  const labelSelector = query.get("labelSelector");
  const selects = selectingVerbs.has(verb) && !info.isWatchPath;
  return {
    ...access,
    name: info.authorizedName,
    ...(selects && fieldSelector !== null ? { fieldSelector } : {}),
    ...(selects && labelSelector !== null ? { labelSelector } : {}),
  };
}
