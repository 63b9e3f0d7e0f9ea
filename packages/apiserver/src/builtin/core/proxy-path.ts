/** What follows the word `proxy` in the path of a request. */

/** Every method goes through. */
export const proxyMethods: readonly string[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** The path behind a prefix, with its query; at least a slash. */
export function pathAfter(url: string, prefix: string): string {
  const start = url.indexOf(prefix);
  const rest = start < 0 ? "" : url.slice(start + prefix.length);
  return rest.startsWith("/") ? rest : `/${rest}`;
}

/** Where a node takes requests to a pod: with `https`, it speaks TLS to the pod, whoever signed its certificate. */
export function podProxyPath(to: {
  readonly namespace: string;
  readonly name: string;
  readonly port: string;
  readonly scheme: string;
}): string {
  const scheme = to.scheme === "https" ? "https:" : "";
  return `/proxy/${to.namespace}/${scheme}${to.name}:${to.port}`;
}

/** As addresses in links name it. */
export function hostOf(address: string, port: string): string {
  return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
}
