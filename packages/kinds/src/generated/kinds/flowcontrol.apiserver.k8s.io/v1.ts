import type { Kind } from "@capstan/model";
import type * as shapes from "../../shapes/flowcontrol.apiserver.k8s.io/v1.ts";

export type * from "../../shapes/flowcontrol.apiserver.k8s.io/v1.ts";

export type FlowSchema = shapes.FlowSchema;
export const FlowSchema: Kind<shapes.FlowSchema, shapes.FlowSchemaApply, "Cluster"> = /* @__PURE__ */ Object.freeze({"group":"flowcontrol.apiserver.k8s.io","version":"v1","kind":"FlowSchema","plural":"flowschemas","scope":"Cluster"} as const);
export type PriorityLevelConfiguration = shapes.PriorityLevelConfiguration;
export const PriorityLevelConfiguration: Kind<shapes.PriorityLevelConfiguration, shapes.PriorityLevelConfigurationApply, "Cluster"> = /* @__PURE__ */ Object.freeze({"group":"flowcontrol.apiserver.k8s.io","version":"v1","kind":"PriorityLevelConfiguration","plural":"prioritylevelconfigurations","scope":"Cluster"} as const);
