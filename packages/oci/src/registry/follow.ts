/** Sends a request and follows redirects by hand, so that credentials stay with the origin that they are for. */
import { OciError } from "../errors.ts";
import type { Fetch } from "./session.ts";

/** A response and its address. */
export interface Followed {
  readonly response: Response;
  readonly url: URL;
}

type Init = Parameters<Fetch>[1];

const mostRedirects = 10;

/**
 * Follows redirects. `initFor` returns the request for an address: it omits credentials for another origin. A redirect from HTTPS to
 * plain HTTP is rejected.
 */
export async function follow(first: URL, fetch: Fetch, initFor: (url: URL) => Init): Promise<Followed> {
  let url = first;
  for (let redirects = 0; ; redirects++) {
    const init = initFor(url);
    const response = await fetch(url.href, { ...init, redirect: "manual" });
    const next = targetOf(response, url, init.method ?? "GET");
    if (next === undefined) return { response, url };
    await response.body?.cancel();
    if (redirects === mostRedirects)
      throw new OciError("Refused", `${first.host} redirected ${mostRedirects} times; it leads nowhere`);
    refuseDowngrade(url, next);
    url = next;
  }
}

/** The target of a redirect; requests that change something follow only the newer redirect codes. */
function targetOf({ status, headers }: Response, from: URL, method: string): URL | undefined {
  const location = headers.get("location");
  if (location === null) return undefined;
  const isRead = method === "GET" || method === "HEAD";
  const isRedirect =
    status === 307 || status === 308 || ((status === 301 || status === 302 || status === 303) && isRead);
  return isRedirect ? parseTarget(location, from) : undefined;
}

/** An address from a registry, relative to the requested one. */
export function parseTarget(location: string, from: URL): URL {
  const url = URL.parse(location, from.href);
  if (
    url === null ||
    (url.protocol !== "https:" && url.protocol !== "http:") ||
    url.username !== "" ||
    url.password !== ""
  )
    throw new OciError("Refused", `${from.host} gave an address that cannot be used; do not trust it`);
  return url;
}

/** A request that began with TLS must stay with TLS. */
export function refuseDowngrade(from: URL, to: URL): void {
  if (from.protocol === "https:" && to.protocol === "http:")
    throw new OciError("Refused", `${from.host} leads from HTTPS to plain HTTP at ${to.host}; this is not followed`);
}
