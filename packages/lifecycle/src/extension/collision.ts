/** Protection against collisions: whether an extension may take over an object that exists already. */
import type { KubeObject } from "@capstan/model";

/** Prevent: only own objects. IfNoController: also those that no controller owns. None: every object. */
export type CollisionProtection = "Prevent" | "IfNoController" | "None";

/** The most specific setting counts: of the object, else of its phase, else of the revision; without any, Prevent. */
export function effectiveProtection(
  object?: CollisionProtection,
  phase?: CollisionProtection,
  revision?: CollisionProtection,
): CollisionProtection {
  return object ?? phase ?? revision ?? "Prevent";
}

/** Whether the object is created, updated, taken over, or left alone because something else owns it. */
export type Takeover =
  | { readonly type: "create" | "update" | "adopt" }
  | { readonly type: "collision"; readonly message: string };

interface CollisionQuestion {
  /** The object of the cluster, if there is one. */
  readonly existing: KubeObject | undefined;
  /** The UIDs of the revision and of its predecessors: their objects are handed over. */
  readonly owners: readonly string[];
  readonly protection: CollisionProtection;
}

/** Decides about one object before it is applied. */
export function decideTakeover({ existing, owners, protection }: CollisionQuestion): Takeover {
  if (existing === undefined) return { type: "create" };
  const controller = existing.metadata.ownerReferences?.find((one) => one.controller === true);
  if (controller !== undefined && owners.includes(controller.uid)) return { type: "update" };
  const name = `${existing.kind} ${[existing.metadata.namespace, existing.metadata.name].filter(Boolean).join("/")}`;
  switch (protection) {
    case "None":
      return { type: "adopt" };
    case "IfNoController":
      if (controller === undefined) return { type: "adopt" };
      return {
        type: "collision",
        message: `${name} is controlled by ${controller.kind} ${controller.name}: remove it there, or set collisionProtection None`,
      };
    case "Prevent": {
      const owner =
        controller === undefined ? "exists already" : `is controlled by ${controller.kind} ${controller.name}`;
      return {
        type: "collision",
        message: `${name} ${owner}: delete it, or set a collisionProtection that allows to take it over`,
      };
    }
  }
}
