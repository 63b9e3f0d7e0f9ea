/** The parameters of a binding: the policy is evaluated once for each of these objects. */
import { fromLabelSelectorObject, matchesLabels, parseApiVersion, type KubeObject } from "@capstan/model";
import type { AdmissionContext, KeptKind } from "../admission.ts";
import type { ParamRef, PolicySpec } from "./policy.ts";

/** A policy or binding with invalid configuration; the failure policy decides. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
  readonly code = "ConfigurationError";
}

/** The resource of the parameters; fails if the kind is not served. */
export function paramPlace({ paramKind }: PolicySpec, context: AdmissionContext): KeptKind | undefined {
  if (paramKind === undefined) return undefined;
  const found = context.findKind(paramKind.apiVersion, paramKind.kind);
  if (found !== undefined) return found;
  const { group, version } = parseApiVersion(paramKind.apiVersion);
  const name = `${group === "" ? version : `${group}/${version}`}, Kind=${paramKind.kind}`;
  throw new ConfigurationError(`failed to find resource referenced by paramKind: '${name}'`);
}

/** The parameters; one `undefined` if the policy has none. */
export function collectParams(
  place: KeptKind | undefined,
  paramRef: ParamRef | undefined,
  { namespace, context }: { readonly namespace: string; readonly context: AdmissionContext },
): readonly (KubeObject | undefined)[] {
  if (place === undefined || paramRef === undefined) return [undefined];
  const home = place.namespaced ? paramNamespace(paramRef, namespace) : clusterWide(paramRef);
  const found = findParams(place, paramRef, { home, context });
  if (found.length === 0 && paramRef.parameterNotFoundAction === "Deny") {
    throw new ConfigurationError("no params found for policy binding with `Deny` parameterNotFoundAction");
  }
  return found;
}

function paramNamespace({ namespace = "" }: ParamRef, requested: string): string {
  if (namespace !== "") return namespace;
  if (requested !== "") return requested;
  throw new ConfigurationError(
    "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources",
  );
}

function clusterWide({ namespace = "" }: ParamRef): string {
  if (namespace === "") return "";
  throw new ConfigurationError("paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
}

function findParams(
  { resource }: KeptKind,
  { name = "", selector }: ParamRef,
  { home, context }: { readonly home: string; readonly context: AdmissionContext },
): readonly KubeObject[] {
  const { lookup } = context;
  if (name !== "") {
    if (selector !== undefined)
      throw new ConfigurationError("paramRef.name and paramRef.selector are mutually exclusive");
    const found = lookup.get(resource, name, home);
    return found === undefined ? [] : [found];
  }
  if (selector === undefined) throw new ConfigurationError("one of name or selector must be provided");
  const wanted = fromLabelSelectorObject(selector);
  return lookup.list(resource, home).filter(({ metadata }) => matchesLabels(wanted, metadata.labels));
}
