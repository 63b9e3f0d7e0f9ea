/** Splits the URL of a proxied request into the path of the proxy and the path for the backend. */
import { cleanPath, escapePath, unescape } from "../outgoing/go-address.ts";

export interface ProxiedPath {
  /** The path of the proxy, decoded, without a slash at the end. */
  readonly prefix: string;
  /**
   * The path and query for the backend. kube-apiserver decodes the path once, resolves `.` and `..` below the root, and escapes it again
   * (`net.JoinPreservingTrailingSlash`); the query stays as it is.
   */
  readonly rest: string;
}

/** Splits a URL with `count` path segments after `proxy`. */
export function splitProxied(url: string, count: number): ProxiedPath {
  const question = url.indexOf("?");
  const [path, query] = question < 0 ? [url, ""] : [url.slice(0, question), url.slice(question)];
  const bytes = unescape(path);
  const segments = trimSlashes(bytes).split("/");
  const start = segments.length - count;
  const behind = `/${segments.slice(start).join("/")}`;
  const rest = cleanPath(bytes.endsWith("/") ? `${behind}/` : behind);
  return { prefix: `/${segments.slice(0, start).join("/")}`, rest: escapePath(rest) + query };
}

function trimSlashes(path: string): string {
  let start = 0;
  let end = path.length;
  while (start < end && path[start] === "/") start++;
  while (end > start && path[end - 1] === "/") end--;
  return path.slice(start, end);
}
