import type { Kind } from "@capstan/model";
import type * as shapes from "../../shapes/scheduling.k8s.io/v1.ts";

export type * from "../../shapes/scheduling.k8s.io/v1.ts";

export type PriorityClass = shapes.PriorityClass;
export const PriorityClass: Kind<shapes.PriorityClass, shapes.PriorityClassApply, "Cluster"> = /* @__PURE__ */ Object.freeze({"group":"scheduling.k8s.io","version":"v1","kind":"PriorityClass","plural":"priorityclasses","scope":"Cluster"} as const);
