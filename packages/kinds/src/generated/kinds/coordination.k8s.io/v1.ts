import type { Kind } from "@capstan/model";
import type * as shapes from "../../shapes/coordination.k8s.io/v1.ts";

export type * from "../../shapes/coordination.k8s.io/v1.ts";

export type Lease = shapes.Lease;
export const Lease: Kind<shapes.Lease, shapes.LeaseApply, "Namespaced"> = /* @__PURE__ */ Object.freeze({"group":"coordination.k8s.io","version":"v1","kind":"Lease","plural":"leases","scope":"Namespaced"} as const);
