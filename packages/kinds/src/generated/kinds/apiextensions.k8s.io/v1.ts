import type { Kind } from "@capstan/model";
import type * as shapes from "../../shapes/apiextensions.k8s.io/v1.ts";

export type * from "../../shapes/apiextensions.k8s.io/v1.ts";

export type CustomResourceDefinition = shapes.CustomResourceDefinition;
export const CustomResourceDefinition: Kind<shapes.CustomResourceDefinition, shapes.CustomResourceDefinitionApply, "Cluster"> = /* @__PURE__ */ Object.freeze({"group":"apiextensions.k8s.io","version":"v1","kind":"CustomResourceDefinition","plural":"customresourcedefinitions","scope":"Cluster"} as const);
