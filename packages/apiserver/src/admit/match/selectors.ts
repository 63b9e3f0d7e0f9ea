/** Whether the namespace selector and the object selector of a webhook or policy match. */
import {
  apiErrors,
  fromLabelSelectorObject,
  matchesLabels,
  type KubeObject,
  type LabelSelectorObject,
} from "@capstan/model";
import type { Lookup } from "../../builtin/context.ts";
import type { AdmissionRequest } from "../admission.ts";

/** The selectors of a webhook or policy. */
export interface Selectors {
  readonly namespaceSelector?: LabelSelectorObject;
  readonly objectSelector?: LabelSelectorObject;
}

export function selectorsMatch(request: AdmissionRequest, selectors: Selectors, lookup: Lookup): boolean {
  return (
    namespaceMatches(request, selectors.namespaceSelector, lookup) && objectMatches(request, selectors.objectSelector)
  );
}

/** A namespace selector always matches cluster-scoped objects. */
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

/** A write of a namespace uses its new labels. */
function namespaceLabels(request: AdmissionRequest, lookup: Lookup): { readonly [label: string]: string } {
  const { resource, subresource, operation, object, namespace } = request;
  const isWritten = resource.resource === "namespaces" && subresource === "" && operation !== "DELETE";
  if (isWritten && object !== undefined) return object.metadata.labels ?? {};
  const found = lookup.get("namespaces", namespace);
  if (found === undefined) throw apiErrors.notFound({ group: "", resource: "namespaces" }, namespace);
  return found.metadata.labels ?? {};
}

/** The selector may match the new or the old object. */
function objectMatches({ object, oldObject }: AdmissionRequest, selector: LabelSelectorObject | undefined): boolean {
  if (isEmpty(selector)) return true;
  const wanted = fromLabelSelectorObject(selector);
  return [object, oldObject].some((one) => one !== undefined && matchesLabels(wanted, labelsOf(one)));
}

function labelsOf({ metadata }: KubeObject): { readonly [label: string]: string } {
  return metadata?.labels ?? {};
}
