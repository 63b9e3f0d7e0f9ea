/** What a method and a path ask for: a verb on a resource, or a path that is no resource. */
import { exactFieldValue, checkPathSegment, parseFieldSelector } from "@capstan/model";
import { unescape } from "../outgoing/go-address.ts";

/** A request for a resource or for a plain path. */
export type RequestInfo = ResourceRequest | PathRequest;

/** A verb on a resource. Names are decoded. */
export interface ResourceRequest {
  readonly type: "resource";
  readonly verb: string;
  readonly path: string;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  /** The name in the path; a list that selects one name by field carries it only in `authorizedName`. */
  readonly name: string;
  /** The name that authorisation is asked about. */
  readonly authorizedName: string;
  /** What follows the subresource: the path behind a proxy. */
  readonly rest: readonly string[];
  /** Whether the verb came from a `/watch/` path. */
  readonly isWatchPath: boolean;
}

/** A path that is no resource. */
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

/** Third parts of a path under `namespaces` that are subresources of the namespace itself. */
const namespaceSubresources = new Set(["status", "finalize"]);

/** Whether a path ends where it should say what is watched or reached through a proxy: nobody can tell what is asked for. */
export function isCutShort(path: string): boolean {
  const parts = splitPath(path);
  const isCore = parts[0] === "api";
  if (!(isCore || parts[0] === "apis") || parts.length !== (isCore ? 3 : 4)) return false;
  return parts.at(-1) === "watch" || parts.at(-1) === "proxy";
}

/** Reads method, path and query. */
export function parseRequest(method: string, path: string, query: URLSearchParams): RequestInfo {
  const parts = splitPath(path);
  const isCore = parts[0] === "api";
  const isGroup = parts[0] === "apis";
  if ((!isCore && !isGroup) || parts.length < (isCore ? 3 : 4)) {
    return { type: "path", verb: method.toLowerCase(), path };
  }
  const [group, version] = isCore ? ["", parts[1] ?? ""] : [parts[1] ?? "", parts[2] ?? ""];
  const rest = parts.slice(isCore ? 2 : 3);
  const special = rest.length > 1 ? specialVerbs.find((verb) => verb === rest[0]) : undefined;
  if (special !== undefined) rest.shift();
  return toResourceRequest({ method, path, query, group, version, rest, special });
}

/** Verbs that stand in the path, before what they are about. */
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
  const { namespace, parts } = splitNamespace(rest);
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
    resource,
    subresource: special === undefined ? subresource : "",
    name,
    authorizedName: selects ? selectedName(query) : name,
    rest: parts.slice(3),
    isWatchPath: special === "watch",
  };
}

/** `namespaces/<name>/<resource>` scopes a resource; with less behind it, the namespace itself is meant. */
function splitNamespace(rest: string[]): { namespace: string; parts: string[] } {
  const [first, namespace, third] = rest;
  if (first !== "namespaces" || namespace === undefined) return { namespace: "", parts: rest };
  const isScope = third !== undefined && !namespaceSubresources.has(third);
  return { namespace, parts: isScope ? rest.slice(2) : rest };
}

function verbOf(verb: string, name: string, query: URLSearchParams): string {
  if (name !== "") return verb;
  if (verb === "get") return isWatch(query) ? "watch" : "list";
  return verb === "delete" ? "deletecollection" : verb;
}

/** Any value but these asks for a watch, even an empty one. */
function isWatch(query: URLSearchParams): boolean {
  const value = query.get("watch");
  return value !== null && value.toLowerCase() !== "false" && value !== "0";
}

/** The name that a field selector pins down; a selector that cannot be read pins down nothing. */
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

function splitPath(path: string): string[] {
  let start = 0;
  let end = path.length;
  while (start < end && path.charCodeAt(start) === 47) start++;
  while (end > start && path.charCodeAt(end - 1) === 47) end--;
  if (start === end) return [];
  const text = path.slice(start, end);
  return text.includes("%") ? decodeParts(text) : text.split("/");
}

/** Go splits the decoded path; an encoded slash therefore separates. Bytes that are not UTF-8 become replacement characters. */
function decodeParts(text: string): string[] {
  return Buffer.from(unescape(text), "latin1").toString("utf8").split("/");
}
