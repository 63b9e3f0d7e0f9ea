/** Maps a method and a path to a verb on a resource, or to a non-resource path. */
import { exactFieldValue, checkPathSegment, fromGoBytes, parseFieldSelector } from "@capstan/model";
import { unescape } from "../outgoing/go-address.ts";

/** A resource request or a non-resource request. */
export type RequestInfo = ResourceRequest | PathRequest;

/** A verb on a resource. Names are decoded. */
export interface ResourceRequest {
  readonly type: "resource";
  readonly verb: string;
  readonly path: string;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  /** Whether the path names the namespace before the resource. `/namespaces/a` is about a namespace and in none. */
  readonly isScoped: boolean;
  readonly resource: string;
  readonly subresource: string;
  /** The name in the path. For a list that selects one name by field, only `authorizedName` is set. */
  readonly name: string;
  /** The name for authorization. */
  readonly authorizedName: string;
  /** The segments after the subresource: the path behind a proxy. */
  readonly rest: readonly string[];
  /** All segments from the resource on. */
  readonly parts: readonly string[];
  /** Whether the verb came from a `/watch/` path. */
  readonly isWatchPath: boolean;
}

/** A non-resource path. */
export interface PathRequest {
  readonly type: "path";
  readonly verb: string;
  readonly path: string;
}

const verbs: ReadonlyMap<string, string> = new Map([
  ["POST", "create"],
  ["GET", "get"],
  ["HEAD", "get"],
  ["PUT", "update"],
  ["PATCH", "patch"],
  ["DELETE", "delete"],
]);

/** Segments after `namespaces/<name>` that are subresources of the namespace itself. */
const namespaceSubresources = new Set(["status", "finalize"]);

/** Whether the path ends right after `watch` or `proxy`, so that the resource is missing. */
export function isCutShort(path: string): boolean {
  const parts = splitPath(path);
  const isCore = parts[0] === "api";
  if (!(isCore || parts[0] === "apis") || parts.length !== (isCore ? 3 : 4)) return false;
  return parts.at(-1) === "watch" || parts.at(-1) === "proxy";
}

/** Parses method, path and query. */
export function parseRequest(method: string, path: string, query: URLSearchParams): RequestInfo {
  const parts = splitPath(path);
  const isCore = parts[0] === "api";
  const isGroup = parts[0] === "apis";
  if ((!isCore && !isGroup) || parts.length < (isCore ? 3 : 4)) {
    return { type: "path", verb: method.toLowerCase(), path: decodePath(path) };
  }
  const [group, version] = isCore ? ["", parts[1] ?? ""] : [parts[1] ?? "", parts[2] ?? ""];
  const rest = parts.slice(isCore ? 2 : 3);
  const special = rest.length > 1 ? specialVerbs.find((verb) => verb === rest[0]) : undefined;
  if (special !== undefined) rest.shift();
  return toResourceRequest({ method, path: decodePath(path), query, group, version, rest, special });
}

/** Verbs that are part of the path, before the resource. */
const specialVerbs = ["watch", "proxy"] as const;

interface PathParts {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly group: string;
  readonly version: string;
  readonly rest: string[];
  readonly special: (typeof specialVerbs)[number] | undefined;
}

function toResourceRequest({ method, path, query, group, version, rest, special }: PathParts): ResourceRequest {
  const { namespace, parts, isScoped } = splitNamespace(rest);
  const [resource = "", name = "", subresource = ""] = parts;
  const verb = special ?? verbOf(verbs.get(method) ?? "", name, query);
  const selects = name === "" && (verb === "list" || verb === "watch");
  return {
    type: "resource",
    verb,
    path,
    group,
    version,
    namespace,
    isScoped,
    resource,
    subresource: special === "proxy" ? "" : subresource,
    name,
    authorizedName: selects ? selectedName(query) : name,
    rest: parts.slice(3),
    parts,
    isWatchPath: special === "watch",
  };
}

/** `namespaces/<name>/<resource>` scopes a resource; a shorter path is about the namespace itself. */
function splitNamespace(rest: string[]): { namespace: string; parts: string[]; isScoped: boolean } {
  const [first, namespace, third] = rest;
  if (first !== "namespaces" || namespace === undefined) return { namespace: "", parts: rest, isScoped: false };
  const isScope = third !== undefined && !namespaceSubresources.has(third);
  return { namespace, parts: isScope ? rest.slice(2) : rest, isScoped: isScope };
}

function verbOf(verb: string, name: string, query: URLSearchParams): string {
  if (name !== "") return verb;
  if (verb === "get") return isWatch(query) ? "watch" : "list";
  return verb === "delete" ? "deletecollection" : verb;
}

/** Any value except these requests a watch, even an empty one. */
function isWatch(query: URLSearchParams): boolean {
  const value = query.get("watch");
  return value !== null && value.toLowerCase() !== "false" && value !== "0";
}

/** The name that a field selector requires; empty if the selector is invalid. */
function selectedName(query: URLSearchParams): string {
  const text = query.get("fieldSelector");
  if (text === null || text === "") return "";
  try {
    const name = exactFieldValue(parseFieldSelector(text), "metadata.name") ?? "";
    return checkPathSegment(name).length === 0 ? name : "";
  } catch {
    return "";
  }
}

/** Go splits the decoded path, so an encoded slash is a separator. */
function splitPath(path: string): string[] {
  const decoded = decodePath(path);
  let start = 0;
  let end = decoded.length;
  while (start < end && decoded.charCodeAt(start) === 47) start++;
  while (end > start && decoded.charCodeAt(end - 1) === 47) end--;
  return start === end ? [] : decoded.slice(start, end).split("/");
}

function decodePath(path: string): string {
  return path.includes("%") ? fromGoBytes(Buffer.from(unescape(path), "latin1")) : path;
}
