/** The rules of the group flowcontrol.apiserver.k8s.io. */
import type { ResourceName } from "../context.ts";
import type { ResourceRules } from "../rules.ts";
import { flowSchema } from "./flow-schema.ts";
import { priorityLevel } from "./priority-level.ts";

export const flowcontrolRules: ReadonlyMap<ResourceName, ResourceRules> = new Map<ResourceName, ResourceRules>([
  ["flowschemas.flowcontrol.apiserver.k8s.io", flowSchema],
  ["prioritylevelconfigurations.flowcontrol.apiserver.k8s.io", priorityLevel],
]);
