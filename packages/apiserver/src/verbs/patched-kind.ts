/** The target of a patch: the object of the request, or a projection of it. */
import { builtInDefinitions, definitionNameOf } from "@capstan/kinds";
import { patchTypeFromOpenApi, type PatchType } from "@capstan/patch";
import { expectedOf, type Expected } from "../decode/object.ts";
import type { ResourceExchange } from "../exchange.ts";
import type { FieldManager } from "../managed/field-manager.ts";
import type { ServedSubresource } from "../resources/resource.ts";

/** A kind that is patched through a resource or subresource. */
export interface PatchedKind extends Expected {
  readonly isCustom: boolean;
  readonly fieldManager: FieldManager | undefined;
  /** The merge strategies of strategic patches. */
  patchType(): PatchType;
}

/** The object itself, or a view of it. */
export function patchedObject({ resource, subresource }: ResourceExchange): PatchedKind {
  const { fieldManager } = subresource ?? resource;
  const { isCustom } = resource;
  return { ...expectedOf(resource), isCustom, fieldManager, patchType: () => resource.patchType() };
}

/** A projection, which is of a built-in kind; for custom kinds its decoder knows only that kind. */
export function patchedProjection(
  { resource }: ResourceExchange,
  { kind, codec, fieldManager }: ServedSubresource,
): PatchedKind {
  const patchType = (): PatchType => patchTypeFromOpenApi(builtInDefinitions(), definitionNameOf(kind) ?? "");
  return { ...kind, codec, isCustom: false, isAlone: resource.isCustom, fieldManager, patchType };
}
