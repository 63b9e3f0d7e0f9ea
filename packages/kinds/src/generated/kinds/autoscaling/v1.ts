import type { Kind } from "@capstan/model";
import type * as shapes from "../../shapes/autoscaling/v1.ts";

export type * from "../../shapes/autoscaling/v1.ts";

export type HorizontalPodAutoscaler = shapes.HorizontalPodAutoscaler;
export const HorizontalPodAutoscaler: Kind<shapes.HorizontalPodAutoscaler, shapes.HorizontalPodAutoscalerApply, "Namespaced"> = /* @__PURE__ */ Object.freeze({"group":"autoscaling","version":"v1","kind":"HorizontalPodAutoscaler","plural":"horizontalpodautoscalers","scope":"Namespaced"} as const);
