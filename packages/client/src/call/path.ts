/** Request paths and queries of the Kubernetes API. */
import { ApiError } from "../error/api-error.ts";
import { allNamespaces } from "./target.ts";
import type { AnyKind } from "./target.ts";

/** The path after the kind. */
export interface ResourcePath {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/** Query parameters; undefined values are omitted. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** `/apis/apps/v1/namespaces/default/deployments/web/status`. */
export function pathOf(
  kind: Pick<AnyKind, "group" | "version" | "plural">,
  { namespace, name, subresource }: ResourcePath,
): string {
  let path = kind.group === "" ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  if (namespace !== undefined && namespace !== allNamespaces) path += `/namespaces/${segment(namespace)}`;
  path += `/${kind.plural}`;
  if (name !== undefined) path += `/${segment(name)}`;
  if (subresource !== undefined) path += `/${subresource}`;
  return path;
}

/** A path with its query. */
export function withQuery(path: string, query: Query): string {
  let text = "";
  for (const name in query) {
    const value = query[name];
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) {
      text += `${text === "" ? "?" : "&"}${name}=${encodeURIComponent(String(one))}`;
    }
  }
  return path + text;
}

const plain = /^[A-Za-z0-9._-]+$/u;

/**
 * A name as one path segment. Servers decode a path before they split it: a name with a slash, however encoded, would address another
 * resource or a whole collection. client-go rejects the same names.
 */
function segment(name: string): string {
  if (plain.test(name) && name !== "." && name !== "..") return name;
  if (name !== "" && !/^\.\.?$|[/%]/u.test(name)) return encodeURIComponent(name);
  const why = "a name is not empty, neither . nor .., and has no / and no % in it";
  throw new ApiError({ code: "Invalid", message: `Cannot ask for "${name}": ${why}. Correct the name.` });
}
