/** Whether the labels of a namespace and of an object are those that a webhook or policy asks for. */
import {
  apiErrors,
  fromLabelSelectorObject,
  matchesLabels,
  type KubeObject,
  type LabelSelectorObject,
} from "@capstan/model";
import type { Lookup } from "../../builtin/context.ts";
import type { AdmissionRequest } from "../admission.ts";

/** What a webhook or policy asks for. */
export interface Selectors {
  readonly namespaceSelector?: LabelSelectorObject;
  readonly objectSelector?: LabelSelectorObject;
}

/** Both selectors. */
export function selectorsMatch(request: AdmissionRequest, selectors: Selectors, lookup: Lookup): boolean {
  return (
    namespaceMatches(request, selectors.namespaceSelector, lookup) && objectMatches(request, selectors.objectSelector)
  );
}

/** What is in no namespace is never left out. */
function namespaceMatches(
  request: AdmissionRequest,
  selector: LabelSelectorObject | undefined,
  lookup: Lookup,
): boolean {
  if (isEmpty(selector)) return true;
  if (request.namespace === "" && request.resource.resource !== "namespaces") return true;
  return matchesLabels(fromLabelSelectorObject(selector), namespaceLabels(request, lookup));
}

function isEmpty(selector: LabelSelectorObject | undefined): selector is undefined {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}

/** A namespace that is being written has the labels that it will have. */
function namespaceLabels(request: AdmissionRequest, lookup: Lookup): { readonly [label: string]: string } {
  const { resource, subresource, operation, object, namespace } = request;
  const isWritten = resource.resource === "namespaces" && subresource === "" && operation !== "DELETE";
  if (isWritten && object !== undefined) return object.metadata.labels ?? {};
  const found = lookup.get("namespaces", namespace);
  if (found === undefined) throw apiErrors.notFound({ group: "", resource: "namespaces" }, namespace);
  return found.metadata.labels ?? {};
}

/** It is enough that the object matches as it is or as it was. */
function objectMatches({ object, oldObject }: AdmissionRequest, selector: LabelSelectorObject | undefined): boolean {
  if (isEmpty(selector)) return true;
  const wanted = fromLabelSelectorObject(selector);
  return [object, oldObject].some((one) => one !== undefined && matchesLabels(wanted, labelsOf(one)));
}

function labelsOf({ metadata }: KubeObject): { readonly [label: string]: string } {
  return metadata?.labels ?? {};
}
