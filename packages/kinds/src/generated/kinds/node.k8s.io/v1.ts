import type { Kind } from "@capstan/model";
import type * as shapes from "../../shapes/node.k8s.io/v1.ts";

export type * from "../../shapes/node.k8s.io/v1.ts";

export type RuntimeClass = shapes.RuntimeClass;
export const RuntimeClass: Kind<shapes.RuntimeClass, shapes.RuntimeClassApply, "Cluster"> = /* @__PURE__ */ Object.freeze({"group":"node.k8s.io","version":"v1","kind":"RuntimeClass","plural":"runtimeclasses","scope":"Cluster"} as const);
