import type { Kind } from "@capstan/model";
import type * as shapes from "../../shapes/policy/v1.ts";

export type * from "../../shapes/policy/v1.ts";

export type PodDisruptionBudget = shapes.PodDisruptionBudget;
export const PodDisruptionBudget: Kind<shapes.PodDisruptionBudget, shapes.PodDisruptionBudgetApply, "Namespaced"> = /* @__PURE__ */ Object.freeze({"group":"policy","version":"v1","kind":"PodDisruptionBudget","plural":"poddisruptionbudgets","scope":"Namespaced"} as const);
