/** Groups, versions, kinds and resources as plain values, and their text forms. */
import { ParseError } from "./parse-error.ts";

/** A group and one of its versions; the core group is the empty string. */
export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** A kind in a group, for any version. */
export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

/** A resource (the plural of a path) in a group, for any version. */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/** A kind in a version of a group. */
export interface GroupVersionKind extends GroupVersion, GroupKind {}

/** A resource in a version of a group. */
export interface GroupVersionResource extends GroupVersion, GroupResource {}

/** Parses an `apiVersion`: `v1`, `apps/v1`. The empty string is the empty group and version. */
export function parseApiVersion(apiVersion: string): GroupVersion {
  if (apiVersion === "" || apiVersion === "/") return { group: "", version: "" };
  const slash = apiVersion.indexOf("/");
  if (slash < 0) return { group: "", version: apiVersion };
  if (apiVersion.includes("/", slash + 1)) {
    throw new ParseError("InvalidApiVersion", apiVersion, `unexpected GroupVersion string: ${apiVersion}`);
  }
  return { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** The `apiVersion` of a group and version: `v1` for the core group, `group/version` otherwise. */
export function formatApiVersion({ group, version }: GroupVersion): string {
  return group === "" ? version : `${group}/${version}`;
}

/** The group, version and kind that an object declares. */
export function kindOf(object: { readonly apiVersion: string; readonly kind: string }): GroupVersionKind {
  return { ...parseApiVersion(object.apiVersion), kind: object.kind };
}

/** A resource as messages name it: `pods`, `deployments.apps`. */
export function formatGroupResource({ group, resource }: GroupResource): string {
  return group === "" ? resource : `${resource}.${group}`;
}

/** A kind as messages name it: `Pod`, `Deployment.apps`. */
export function formatGroupKind({ group, kind }: GroupKind): string {
  return group === "" ? kind : `${kind}.${group}`;
}

/** A full kind as messages name it: `apps/v1, Kind=Deployment`. */
export function formatGroupVersionKind({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}, Kind=${kind}`;
}

/** Parses `deployments.apps`: the first dot ends the resource. */
export function parseGroupResource(text: string): GroupResource {
  const dot = text.indexOf(".");
  return dot < 0 ? { group: "", resource: text } : { group: text.slice(dot + 1), resource: text.slice(0, dot) };
}
