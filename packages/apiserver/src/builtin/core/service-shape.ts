/** Questions about a service that its rules ask again and again. */
import type { ServiceSpec } from "@capstan/kinds/v1";

/** The spec, which every decoded service has. */
export function specOf({ spec = {} }: { readonly spec?: ServiceSpec }): ServiceSpec {
  return spec;
}

/** A service without an address of its own. */
export function isHeadless({ clusterIPs = [] }: ServiceSpec): boolean {
  return clusterIPs.length === 1 && clusterIPs[0] === "None";
}

/** All but names for something outside have addresses. */
export function needsAddress({ type }: ServiceSpec): boolean {
  return type !== "ExternalName";
}

/** Whether the service can be reached from outside of the cluster. */
export function isExternal({ type, externalIPs = [] }: ServiceSpec): boolean {
  return type === "LoadBalancer" || type === "NodePort" || (type === "ClusterIP" && externalIPs.length > 0);
}

/** Whether load balancers must find out which nodes have pods of the service. */
export function needsHealthCheck({ type, externalTrafficPolicy }: ServiceSpec): boolean {
  return type === "LoadBalancer" && externalTrafficPolicy === "Local";
}

/** Whether every port gets one on the nodes. */
export function needsNodePorts({ type, allocateLoadBalancerNodePorts = true }: ServiceSpec): boolean {
  return type === "NodePort" || (type === "LoadBalancer" && allocateLoadBalancerNodePorts);
}

/** Whether two lists of texts are the same; absent ones are empty. */
export function isSameList(a: readonly string[] = [], b: readonly string[] = []): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}
