import type { Kind } from "@capstan/model";
import type * as shapes from "../../shapes/apiregistration.k8s.io/v1.ts";

export type * from "../../shapes/apiregistration.k8s.io/v1.ts";

export type APIService = shapes.APIService;
export const APIService: Kind<shapes.APIService, shapes.APIServiceApply, "Cluster"> = /* @__PURE__ */ Object.freeze({"group":"apiregistration.k8s.io","version":"v1","kind":"APIService","plural":"apiservices","scope":"Cluster"} as const);
