/** The objects that a list, watch or deletecollection selects. */
import {
  apiErrors,
  exactFieldValue,
  matchesFields,
  matchesLabels,
  type FieldSelector,
  type KubeObject,
  type LabelSelector,
} from "@capstan/model";
import { onlyCommonFields } from "../builtin/meta/field-labels.ts";
import type { ResourceRules } from "../builtin/rules.ts";
import type { ServedResource } from "../resources/resource.ts";
import { storageKey } from "../resources/resource.ts";
import type { ListOptions } from "./options.ts";
import { present } from "./present.ts";

/** A selection in terms of the store. */
export interface Selection {
  /** A key prefix. */
  readonly prefix: string;
  /** The only key, if one name is selected. */
  readonly key: string | undefined;
  /** Whether an object matches, in the version of `storedMatcher`; `undefined` if all objects below the prefix match. */
  readonly matches: ((object: KubeObject) => boolean) | undefined;
}

/** The namespace and name of the request. */
export interface SelectionScope {
  readonly namespace: string;
  /** From a path such as `/watch/.../name`. */
  readonly name?: string;
}

/** Converts options to a selection; throws 400 for fields that the kind does not support. */
export function selectionOf(resource: ServedResource, scope: SelectionScope, options: ListOptions): Selection {
  const fields = resource.rules.serves === "answers" ? undefined : resource.rules.fields;
  const fieldSelector = inHubLabels(resource, options.fieldSelector);
  for (const { field } of fieldSelector) checkField(field, resource.rules);
  const namespace =
    scope.namespace === "" && resource.namespaced
      ? (exactFieldValue(fieldSelector, "metadata.namespace") ?? "")
      : scope.namespace;
  const name = scope.name ?? exactFieldValue(fieldSelector, "metadata.name");
  // A further page is read as a list, also of one name.
  const isPage = options.continue !== "";
  const isPinned = !isPage && name !== undefined && name !== "" && (namespace !== "" || !resource.namespaced);
  return {
    prefix: resource.namespaced && namespace !== "" ? `${namespace}/` : "",
    key: isPinned ? storageKey(resource, namespace, name) : undefined,
    matches: matcherOf(options.labelSelector, fieldSelector, fields),
  };
}

/** Matches stored objects. Custom objects are matched in their served version, because only it may have the field. */
export function storedMatcher(
  resource: ServedResource,
  { matches }: Selection,
): ((object: KubeObject) => boolean | Promise<boolean>) | undefined {
  if (matches === undefined || !resource.isCustom || resource.conversion === undefined) return matches;
  return (object) => {
    const shown = present(resource, object);
    return shown instanceof Promise ? shown.then(matches) : matches(shown);
  };
}

/** Field labels of a version may differ from those of the stored objects. */
function inHubLabels({ rules, apiVersion }: ServedResource, selector: FieldSelector): FieldSelector {
  const labels = rules.serves === "answers" ? undefined : rules.versions?.[apiVersion]?.fieldLabels;
  if (labels === undefined) return selector;
  return selector.map((requirement) => {
    const field = Object.hasOwn(labels, requirement.field) ? labels[requirement.field] : undefined;
    if (field === undefined) throw apiErrors.badRequest(`field label not supported: ${requirement.field}`);
    return { ...requirement, field };
  });
}

type Fields = { readonly [path: string]: (object: KubeObject) => string } | undefined;

/** Throws 400 if the kind does not support the field. */
function checkField(field: string, rules: ResourceRules): void {
  if (field === "metadata.name") return;
  if (rules.serves === "answers") throw apiErrors.badRequest(onlyCommonFields(field));
  const { fields, unknownField, selectsByNamespace = true } = rules;
  if (field === "metadata.namespace" ? selectsByNamespace : fields !== undefined && Object.hasOwn(fields, field))
    return;
  if (unknownField !== undefined) throw apiErrors.badRequest(unknownField(field));
  throw apiErrors.badRequest(fields === undefined ? onlyCommonFields(field) : `field label not supported: ${field}`);
}

function matcherOf(labels: LabelSelector, selector: FieldSelector, fields: Fields): Selection["matches"] {
  const hasLabels = labels.length > 0;
  const hasFields = selector.length > 0;
  if (!hasLabels && !hasFields) return undefined;
  return (object) =>
    (!hasLabels || matchesLabels(labels, object.metadata.labels)) &&
    (!hasFields || matchesFields(selector, (field) => fieldOf(object, field, fields)));
}

function fieldOf(object: KubeObject, field: string, fields: Fields): string | undefined {
  if (field === "metadata.name") return object.metadata.name;
  if (field === "metadata.namespace") return object.metadata.namespace;
  return fields?.[field]?.(object);
}
