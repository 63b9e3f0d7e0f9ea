/** The rules of the group discovery.k8s.io. */
import type { ResourceName } from "../context.ts";
import type { ResourceRules } from "../rules.ts";
import { endpointSlice } from "./endpoint-slice.ts";

export const discoveryRules: ReadonlyMap<ResourceName, ResourceRules> = new Map<ResourceName, ResourceRules>([
  ["endpointslices.discovery.k8s.io", endpointSlice],
]);
