import type { Kind } from "@capstan/model";
import type * as shapes from "../../shapes/events.k8s.io/v1.ts";

export type * from "../../shapes/events.k8s.io/v1.ts";

export type Event = shapes.Event;
export const Event: Kind<shapes.Event, shapes.EventApply, "Namespaced"> = /* @__PURE__ */ Object.freeze({"group":"events.k8s.io","version":"v1","kind":"Event","plural":"events","scope":"Namespaced"} as const);
