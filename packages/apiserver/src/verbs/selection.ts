/** Which objects a list, watch or deletecollection is about. */
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

/** What a selection comes down to in the store. */
export interface Selection {
  /** Of the keys. */
  readonly prefix: string;
  /** One key, when the name is pinned down. */
  readonly key: string | undefined;
  /** Whether an object matches, in the version that `storedMatcher` brings it to; `undefined` when everything under the prefix does. */
  readonly matches: ((object: KubeObject) => boolean) | undefined;
}

/** Where objects are looked for. */
export interface SelectionScope {
  readonly namespace: string;
  /** From a path such as `/watch/.../name`. */
  readonly name?: string;
}

/** Turns options into a selection; refuses fields that the kind cannot select by. */
export function selectionOf(resource: ServedResource, scope: SelectionScope, options: ListOptions): Selection {
  const fields = resource.rules.serves === "answers" ? undefined : resource.rules.fields;
  const fieldSelector = inHubLabels(resource, options.fieldSelector);
  for (const { field } of fieldSelector) checkField(field, resource.rules);
  const namespace =
    scope.namespace === "" && resource.namespaced
      ? (exactFieldValue(fieldSelector, "metadata.namespace") ?? "")
      : scope.namespace;
  const name = scope.name ?? exactFieldValue(fieldSelector, "metadata.name");
  const isPinned = name !== undefined && name !== "" && (namespace !== "" || !resource.namespaced);
  return {
    prefix: resource.namespaced && namespace !== "" ? `${namespace}/` : "",
    key: isPinned ? storageKey(resource, namespace, name) : undefined,
    matches: matcherOf(options.labelSelector, fieldSelector, fields),
  };
}

/** Whether an object of the store matches. Custom ones are judged as their version shows them: its fields may exist in no other. */
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

/** Versions may call fields otherwise than the objects that are stored. */
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

/** Whether a kind can be selected by a field. */
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
