import type { Kind } from "@capstan/model";
import type * as shapes from "../../shapes/discovery.k8s.io/v1.ts";

export type * from "../../shapes/discovery.k8s.io/v1.ts";

export type EndpointSlice = shapes.EndpointSlice;
export const EndpointSlice: Kind<shapes.EndpointSlice, shapes.EndpointSliceApply, "Namespaced"> = /* @__PURE__ */ Object.freeze({"group":"discovery.k8s.io","version":"v1","kind":"EndpointSlice","plural":"endpointslices","scope":"Namespaced"} as const);
