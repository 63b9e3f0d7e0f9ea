/** What a patch changes: the object of the path, or another kind that is read from it. */
import { builtInDefinitions, definitionNameOf } from "@capstan/kinds";
import { patchTypeFromOpenApi, type PatchType } from "@capstan/patch";
import type { Expected } from "../decode/object.ts";
import type { ResourceExchange } from "../exchange.ts";
import type { FieldManager } from "../managed/field-manager.ts";
import type { ServedSubresource } from "../resources/resource.ts";

/** A kind that is patched through a door. */
export interface PatchedKind extends Expected {
  readonly isCustom: boolean;
  readonly fieldManager: FieldManager | undefined;
  /** How strategic patches are merged. */
  patchType(): PatchType;
}

/** The object itself, whole or in a view. */
export function patchedObject({ resource, subresource }: ResourceExchange): PatchedKind {
  const { group, version, kind, codec, isCustom } = resource;
  const { fieldManager } = subresource ?? resource;
  return { group, version, kind, codec, isCustom, fieldManager, patchType: () => resource.patchType() };
}

/** Another kind, which is built-in whatever it is read from; beside custom kinds it is the only one. */
export function patchedProjection(
  { resource }: ResourceExchange,
  { kind, codec, fieldManager }: ServedSubresource,
): PatchedKind {
  const patchType = (): PatchType => patchTypeFromOpenApi(builtInDefinitions(), definitionNameOf(kind) ?? "");
  return { ...kind, codec, isCustom: false, isAlone: resource.isCustom, fieldManager, patchType };
}
