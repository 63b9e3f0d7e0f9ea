/** Fields of a service that depend on its type. */
import type { Service, ServicePort, ServiceSpec } from "@capstan/kinds/v1";
import type { Draft } from "../draft.ts";
import { isEmpty } from "../meta/checks.ts";
import { isExternal, isSameList, needsAddress, needsHealthCheck, specOf } from "./service-shape.ts";

const defaultAffinitySeconds = 10800;

export function defaultService(draft: Draft<Service>): void {
  draft.spec ??= {};
  draft.status ??= { loadBalancer: {} };
  const { spec } = draft;
  defaultAffinity(spec);
  if (isEmpty(spec.type)) spec.type = "ClusterIP";
  spec.ports?.forEach(defaultPort);
  if (isExternal(spec) && isEmpty(spec.externalTrafficPolicy)) spec.externalTrafficPolicy = "Cluster";
  if (["NodePort", "LoadBalancer", "ClusterIP"].includes(spec.type)) spec.internalTrafficPolicy ??= "Cluster";
  if (spec.type === "LoadBalancer") defaultBalancer(spec, draft.status);
}

function defaultBalancer(spec: Draft<ServiceSpec>, status: NonNullable<Draft<Service>["status"]>): void {
  spec.allocateLoadBalancerNodePorts ??= true;
  for (const ingress of status.loadBalancer?.ingress ?? []) if (!isEmpty(ingress.ip)) ingress.ipMode ??= "VIP";
}

function defaultPort(port: Draft<ServicePort>): void {
  if (isEmpty(port.protocol)) port.protocol = "TCP";
  if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === "") port.targetPort = port.port;
}

function defaultAffinity(spec: Draft<ServiceSpec>): void {
  if (isEmpty(spec.sessionAffinity)) spec.sessionAffinity = "None";
  if (spec.sessionAffinity === "None") delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity === "ClientIP" && spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: defaultAffinitySeconds } };
  }
}

/** A client that only changes the type sends the fields of the old type along: they are dropped if unchanged. */
export function dropTypeFields(draft: Draft<Service>, old: Service): void {
  const spec = (draft.spec ??= {});
  const before = specOf(old);
  dropAddresses(spec, before);
  const hadNodePorts = before.type === "NodePort" || before.type === "LoadBalancer";
  const hasNodePorts = spec.type === "NodePort" || spec.type === "LoadBalancer";
  if (hadNodePorts && !hasNodePorts && areKnownPorts(spec, before)) {
    for (const port of spec.ports ?? []) delete port.nodePort;
  }
  dropIf(spec, before, "healthCheckNodePort", needsHealthCheck(before) && !needsHealthCheck(spec));
  const wasBalanced = before.type === "LoadBalancer" && spec.type !== "LoadBalancer";
  dropIf(spec, before, "allocateLoadBalancerNodePorts", wasBalanced);
  dropIf(spec, before, "loadBalancerClass", wasBalanced);
  dropIf(spec, before, "externalTrafficPolicy", isExternal(before) && !isExternal(spec));
  if (spec.type !== "LoadBalancer") draft.status = { ...draft.status, loadBalancer: {} };
}

function dropIf(spec: Draft<ServiceSpec>, before: ServiceSpec, field: keyof ServiceSpec, isGone: boolean): void {
  if (isGone && spec[field] === before[field]) delete spec[field];
}

function dropAddresses(spec: Draft<ServiceSpec>, before: ServiceSpec): void {
  if (!needsAddress(before) || needsAddress(spec)) return;
  const { clusterIPs = [] } = spec;
  // If only clusterIP is set, it stands for the whole list.
  const isSameRest = clusterIPs.length === 0 || isSameList(clusterIPs, before.clusterIPs);
  const isSame = (spec.clusterIP ?? "") === (before.clusterIP ?? "") && isSameRest;
  if (isSame) {
    delete spec.clusterIP;
    delete spec.clusterIPs;
  }
  if (isSameList(spec.ipFamilies, before.ipFamilies)) delete spec.ipFamilies;
  if (spec.ipFamilyPolicy === before.ipFamilyPolicy) delete spec.ipFamilyPolicy;
}

function areKnownPorts({ ports = [] }: ServiceSpec, before: ServiceSpec): boolean {
  const known = new Set((before.ports ?? []).map(({ nodePort = 0 }) => nodePort));
  return ports.every(({ nodePort = 0 }) => nodePort === 0 || known.has(nodePort));
}
