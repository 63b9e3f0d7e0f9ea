import type { Kind } from "@capstan/model";
import type * as shapes from "../../shapes/resource.k8s.io/v1.ts";

export type * from "../../shapes/resource.k8s.io/v1.ts";

export type DeviceClass = shapes.DeviceClass;
export const DeviceClass: Kind<shapes.DeviceClass, shapes.DeviceClassApply, "Cluster"> = /* @__PURE__ */ Object.freeze({"group":"resource.k8s.io","version":"v1","kind":"DeviceClass","plural":"deviceclasses","scope":"Cluster"} as const);
export type ResourceClaim = shapes.ResourceClaim;
export const ResourceClaim: Kind<shapes.ResourceClaim, shapes.ResourceClaimApply, "Namespaced"> = /* @__PURE__ */ Object.freeze({"group":"resource.k8s.io","version":"v1","kind":"ResourceClaim","plural":"resourceclaims","scope":"Namespaced"} as const);
export type ResourceClaimTemplate = shapes.ResourceClaimTemplate;
export const ResourceClaimTemplate: Kind<shapes.ResourceClaimTemplate, shapes.ResourceClaimTemplateApply, "Namespaced"> = /* @__PURE__ */ Object.freeze({"group":"resource.k8s.io","version":"v1","kind":"ResourceClaimTemplate","plural":"resourceclaimtemplates","scope":"Namespaced"} as const);
export type ResourceSlice = shapes.ResourceSlice;
export const ResourceSlice: Kind<shapes.ResourceSlice, shapes.ResourceSliceApply, "Cluster"> = /* @__PURE__ */ Object.freeze({"group":"resource.k8s.io","version":"v1","kind":"ResourceSlice","plural":"resourceslices","scope":"Cluster"} as const);
