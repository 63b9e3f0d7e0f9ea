/** Predicates on services that several rules share. */
import type { ServiceSpec } from "@capstan/kinds/v1";

/** The spec; every decoded service has one. */
export function specOf({ spec = {} }: { readonly spec?: ServiceSpec }): ServiceSpec {
  return spec;
}

/** A service with clusterIP None. */
export function isHeadless({ clusterIPs = [] }: ServiceSpec): boolean {
  return clusterIPs.length === 1 && clusterIPs[0] === "None";
}

/** All services except ExternalName have cluster IPs. */
export function needsAddress({ type }: ServiceSpec): boolean {
  return type !== "ExternalName";
}

/** Whether the service is reachable from outside the cluster. */
export function isExternal({ type, externalIPs = [] }: ServiceSpec): boolean {
  return type === "LoadBalancer" || type === "NodePort" || (type === "ClusterIP" && externalIPs.length > 0);
}

/** Whether load balancers need a health check of the nodes that have pods of the service. */
export function needsHealthCheck({ type, externalTrafficPolicy }: ServiceSpec): boolean {
  return type === "LoadBalancer" && externalTrafficPolicy === "Local";
}

/** Whether every port needs a node port. */
export function needsNodePorts({ type, allocateLoadBalancerNodePorts = true }: ServiceSpec): boolean {
  return type === "NodePort" || (type === "LoadBalancer" && allocateLoadBalancerNodePorts);
}

/** Whether two lists are equal; an absent list is empty. */
export function isSameList(a: readonly string[] = [], b: readonly string[] = []): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}
