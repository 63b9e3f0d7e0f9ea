/** Parses the target of a proxy path: an object, perhaps with a scheme before it and a port after it. */
import { apiErrors, quote } from "@capstan/model";
import type { ProxyTarget } from "../builtin/rules.ts";
import type { ResourceExchange } from "../exchange.ts";

/** The target of a connection; other subresources than proxies have only a name. */
export function parseProxyTarget({ info, resource }: ResourceExchange): ProxyTarget {
  const { name, subresource } = info;
  const parts = name.split(":");
  if (subresource !== "proxy" || parts.length === 1) return { scheme: "", name, port: "" };
  const [scheme = "", target = "", port = ""] = parts.length === 2 ? ["", ...parts] : parts;
  const isSound = parts.length <= 3 && target !== "" && (scheme === "" || scheme === "http" || scheme === "https");
  if (!isSound) throw apiErrors.badRequest(`invalid ${resource.singular} request ${quote(name)}`);
  return { scheme, name: target, port };
}
