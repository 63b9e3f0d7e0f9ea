/** Warnings about a service that is valid but probably misconfigured. */
import type { Service, ServiceSpec } from "@capstan/kinds/v1";
import { isEmpty } from "../meta/checks.ts";
import { ipWarnings, networkWarnings } from "../meta/ip-checks.ts";
import { specOf } from "./service-shape.ts";

/** All warnings, in the order of kube-apiserver. */
export function serviceWarnings(service: Service): string[] {
  const spec = specOf(service);
  const isNone = spec.type === "ClusterIP" && spec.clusterIP === "None";
  return [
    ...(service.metadata.annotations?.["service.kubernetes.io/topology-aware-hints"] === undefined
      ? []
      : [
          "annotation service.kubernetes.io/topology-aware-hints is deprecated, please use service.kubernetes.io/topology-mode instead",
        ]),
    ...(isEmpty(spec.clusterIP) || spec.clusterIP === "None" ? [] : eachIp(spec, "clusterIPs")),
    ...(isNone ? headlessWarnings(spec) : []),
    ...eachIp(spec, "externalIPs"),
    ...(hasExternalIps(spec) && !isNone && spec.type !== "ExternalName"
      ? ["spec.externalIPs is deprecated and may no longer be implemented in some clusters"]
      : []),
    ...(isEmpty(spec.loadBalancerIP) ? [] : ipWarnings(spec.loadBalancerIP, "spec.loadBalancerIP")),
    ...(spec.loadBalancerSourceRanges ?? []).flatMap((network, index) =>
      networkWarnings(network, `spec.loadBalancerSourceRanges[${index}]`),
    ),
    ...ignoredWarnings(spec),
  ];
}

function eachIp(spec: ServiceSpec, field: "clusterIPs" | "externalIPs"): string[] {
  return (spec[field] ?? []).flatMap((ip, index) => ipWarnings(ip, `spec.${field}[${index}]`));
}

function hasExternalIps({ externalIPs = [] }: ServiceSpec): boolean {
  return externalIPs.length > 0;
}

function headlessWarnings(spec: ServiceSpec): string[] {
  return [
    ...(isEmpty(spec.loadBalancerIP) ? [] : ["spec.loadBalancerIP is ignored for headless services"]),
    ...(hasExternalIps(spec) ? ["spec.externalIPs is ignored for headless services"] : []),
    ...(spec.sessionAffinity === "None" ? [] : ["spec.SessionAffinity is ignored for headless services"]),
  ];
}

function ignoredWarnings(spec: ServiceSpec): string[] {
  const isOutside = spec.type === "ExternalName";
  return [
    ...(isOutside && hasExternalIps(spec) ? ['spec.externalIPs is ignored when spec.type is "ExternalName"'] : []),
    ...(isOutside || isEmpty(spec.externalName)
      ? []
      : ['spec.externalName is ignored when spec.type is not "ExternalName"']),
    ...(spec.trafficDistribution === "PreferClose"
      ? ['spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"']
      : []),
  ];
}
