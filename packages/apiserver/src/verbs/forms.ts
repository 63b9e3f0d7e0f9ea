/** The equivalent resources of a request: every version of its kind, and kinds with the same storage. */
import { cloneJson, type KubeObject } from "@capstan/model";
import type { TypeSchema } from "@capstan/patch";
import type { ServedKind } from "../admit/admission.ts";
import type { AnyDraft } from "../builtin/draft.ts";
import type { ResourceExchange } from "../exchange.ts";
import type { ServedResource } from "../resources/resource.ts";

/** All equivalent resources that have the subresource of the request. */
export function equivalentForms({ parts, resource, info }: ResourceExchange): ServedKind[] {
  return [...parts.registry.all()]
    .filter((one) => one.storage === resource.storage)
    .flatMap((one) => {
      const subresource = one.subresources.get(info.subresource);
      if (info.subresource !== "" && subresource === undefined) return [];
      const { group, version } = one;
      return { group, version, resource: one.resource, kind: subresource?.kind ?? { group, version, kind: one.kind } };
    });
}

/** An object as one of the equivalent resources. */
export function presentForm(
  exchange: ResourceExchange,
  object: KubeObject,
  form: ServedKind,
): AnyDraft | Promise<AnyDraft> {
  const served = servedAs(exchange, form);
  if (served === undefined || !isWhole(exchange, form)) return cloneJson(object);
  const { conversion } = served;
  if (conversion === undefined) return inOrder(served, cloneJson(object));
  const converted = conversion.fromStored([object]);
  if (converted instanceof Promise) return converted.then(([one]) => cloneJson(one ?? object));
  return cloneJson(converted[0] ?? object);
}

/** Fields of built-in kinds are in the order of their type, including those that are always written. */
function inOrder({ codec, isCustom }: ServedResource, draft: AnyDraft): AnyDraft {
  return isCustom ? draft : codec.decode(draft as never, undefined);
}

/** A draft of an equivalent resource, converted to the version in which the request is validated. */
export function acceptForm(
  exchange: ResourceExchange,
  draft: AnyDraft,
  form: ServedKind,
): AnyDraft | Promise<AnyDraft> {
  const served = servedAs(exchange, form);
  if (served === undefined) return draft;
  const codec = isWhole(exchange, form) ? served.codec : served.subresources.get(exchange.info.subresource)?.codec;
  if (codec === undefined) return draft;
  const structured = codec.decode(draft as never, undefined);
  codec.defaults(structured);
  if (!isWhole(exchange, form) || served.conversion === undefined) return structured;
  if (served.conversion.checks === "stored") return served.conversion.toStored(structured);
  return presentForm(exchange, structured as unknown as KubeObject, formOf(exchange));
}

/** The schema for merges in an equivalent resource. */
export function schemaOfForm(exchange: ResourceExchange, form: ServedKind): TypeSchema | undefined {
  return isWhole(exchange, form) ? servedAs(exchange, form)?.fieldManager?.schema : undefined;
}

/** The resource of the request itself. */
function formOf({ resource: { group, version, resource, kind } }: ResourceExchange): ServedKind {
  return { group, version, resource, kind: { group, version, kind } };
}

function servedAs({ parts }: ResourceExchange, form: ServedKind): ServedResource | undefined {
  return parts.registry.find(form.group, form.version, form.resource);
}

/** Whether the resource has the object or a view of it, and not another kind such as Scale. */
function isWhole(exchange: ResourceExchange, form: ServedKind): boolean {
  return servedAs(exchange, form)?.kind === form.kind.kind;
}
