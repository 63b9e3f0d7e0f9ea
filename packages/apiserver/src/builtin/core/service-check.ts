/** Validation of a service. */
import type { Service, ServicePort, ServiceSpec } from "@capstan/kinds/v1";
import { checkPortNumber, fieldErrors, type FieldError } from "@capstan/model";
import { checkLabels } from "../../metadata/check.ts";
import {
  checkLabelName,
  checkOneOf,
  checkPort,
  checkQualified,
  checkSubdomain,
  invalidEach,
  isEmpty,
  requireOneOf,
} from "../meta/checks.ts";
import { toInternal } from "../meta/internal-form.ts";
import { checkEndpointIp, checkIp, checkNetwork } from "../meta/ip-checks.ts";
import { checkProtocol } from "../pod-template/container.ts";
import { checkAddressFields } from "./service-addresses.ts";
import { isExternal, isHeadless, needsHealthCheck, specOf } from "./service-shape.ts";

/** Checks the whole service. Addresses that `old` has are not checked again. */
export function checkService(service: Service, old?: Service): FieldError[] {
  const spec = specOf(service);
  const before = old === undefined ? undefined : specOf(old);
  return [
    ...checkTopology(service),
    ...checkType(spec),
    ...checkPorts(spec),
    ...checkLabels(spec.selector, "spec.selector"),
    ...checkAffinity(spec),
    ...checkAddressFields(spec, before),
    ...checkExternalIps(spec, before),
    ...requireOneOf(spec.type, "spec.type", ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"]),
    ...checkNodePorts(spec),
    ...checkSourceRanges(service, old),
    ...checkLoadBalancer(spec),
    ...checkTraffic(spec),
  ];
}

const hints = "service.kubernetes.io/topology-aware-hints";
const mode = "service.kubernetes.io/topology-mode";

function checkTopology({ metadata }: Service): FieldError[] {
  const [hint, topology] = [metadata.annotations?.[hints], metadata.annotations?.[mode]];
  if (hint === undefined || topology === undefined || hint === topology) return [];
  const why = `must match annotations[${hints}] when both are specified`;
  return [fieldErrors.invalid(`metadata.annotations[${mode}]`, topology, why)];
}

function checkType(spec: ServiceSpec): FieldError[] {
  const { type, ports = [], clusterIPs } = spec;
  if (type === "ExternalName") return checkOutsideName(spec);
  const errors = ports.length === 0 && !isHeadless(spec) ? [fieldErrors.required("spec.ports")] : [];
  if ((type !== "NodePort" && type !== "LoadBalancer") || !isHeadless(spec)) return errors;
  const why = `may not be set to 'None' for ${type} services`;
  return [...errors, fieldErrors.invalid("spec.clusterIPs[0]", clusterIPs?.[0], why)];
}

/** An ExternalName service does not have a cluster IP. */
function checkOutsideName(spec: ServiceSpec): FieldError[] {
  const { externalName = "" } = spec;
  const why = "may not be set for ExternalName services";
  const name = externalName.endsWith(".") ? externalName.slice(0, -1) : externalName;
  return [
    ...(["clusterIPs", "ipFamilies", "ipFamilyPolicy"] as const)
      .filter((field) => (spec[field] ?? []).length > 0)
      .map((field) => fieldErrors.forbidden(`spec.${field}`, why)),
    ...(name === "" ? [fieldErrors.required("spec.externalName")] : checkSubdomain(name, "spec.externalName")),
  ];
}

function checkPorts({ ports = [] }: ServiceSpec): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap((port, index) => {
    const path = `spec.ports[${index}]`;
    return [
      ...checkServicePortName(port.name ?? "", names, ports.length > 1, `${path}.name`),
      ...invalidEach(`${path}.port`, port.port, checkPortNumber(port.port)),
      ...checkProtocol(port.protocol, `${path}.protocol`),
      ...checkPort(port.targetPort, `${path}.targetPort`),
      ...(port.appProtocol === undefined ? [] : checkQualified(port.appProtocol, `${path}.appProtocol`)),
    ];
  });
}

function checkServicePortName(name: string, names: Set<string>, isRequired: boolean, path: string): FieldError[] {
  if (name === "") return isRequired ? [fieldErrors.required(path)] : [];
  const errors = checkLabelName(name, path);
  if (names.has(name)) errors.push(fieldErrors.duplicate(path, name));
  names.add(name);
  return errors;
}

const maxAffinitySeconds = 86400;

function checkAffinity({ sessionAffinity, sessionAffinityConfig }: ServiceSpec): FieldError[] {
  const path = "spec.sessionAffinityConfig";
  const errors = requireOneOf(sessionAffinity, "spec.sessionAffinity", ["ClientIP", "None"]);
  if (sessionAffinity === "None" && sessionAffinityConfig !== undefined) {
    return [...errors, fieldErrors.forbidden(path, "must not be set when session affinity is None")];
  }
  const seconds = sessionAffinityConfig?.clientIP?.timeoutSeconds;
  if (sessionAffinity !== "ClientIP" || seconds === undefined || (seconds > 0 && seconds <= maxAffinitySeconds)) {
    return errors;
  }
  const why = `must be greater than 0 and less than ${maxAffinitySeconds}`;
  return [...errors, fieldErrors.invalid(`${path}.clientIP.timeoutSeconds`, seconds, why)];
}

function checkExternalIps({ externalIPs = [] }: ServiceSpec, before: ServiceSpec | undefined): FieldError[] {
  return externalIPs.flatMap((ip, index) => {
    const path = `spec.externalIPs[${index}]`;
    const errors = checkIp(ip, path, before?.externalIPs);
    return errors.length > 0 ? errors : checkEndpointIp(ip, path);
  });
}

function checkNodePorts({ type, ports = [] }: ServiceSpec): FieldError[] {
  const forbidden = ports.flatMap(({ nodePort = 0 }, index) =>
    type === "ClusterIP" && nodePort !== 0
      ? [fieldErrors.forbidden(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'")]
      : [],
  );
  return [
    ...forbidden,
    ...repeated(ports, ({ nodePort = 0, protocol }) => (nodePort === 0 ? undefined : `${protocol}/${nodePort}`)).map(
      ([{ nodePort }, index]) => fieldErrors.duplicate(`spec.ports[${index}].nodePort`, nodePort),
    ),
    ...repeated(ports, ({ port, protocol }) => `${protocol}/${port}`).map(([{ port, protocol = "TCP" }, index]) =>
      fieldErrors.duplicate(`spec.ports[${index}]`, toInternal("ServicePort", { port, protocol })),
    ),
  ];
}

function repeated(
  ports: readonly ServicePort[],
  keyOf: (port: ServicePort) => string | undefined,
): (readonly [ServicePort, number])[] {
  const seen = new Set<string>();
  return ports.flatMap((port, index) => {
    const key = keyOf(port);
    if (key === undefined) return [];
    if (seen.has(key)) return [[port, index] as const];
    seen.add(key);
    return [];
  });
}

const rangesAnnotation = "service.beta.kubernetes.io/load-balancer-source-ranges";
const onlyForBalancers = "may only be used when `type` is 'LoadBalancer'";

function checkSourceRanges(service: Service, old: Service | undefined): FieldError[] {
  const { loadBalancerSourceRanges: ranges = [], type } = specOf(service);
  const annotation = service.metadata.annotations?.[rangesAnnotation];
  if (ranges.length > 0) {
    const path = "spec.LoadBalancerSourceRanges";
    const before = old === undefined ? [] : (specOf(old).loadBalancerSourceRanges ?? []).map((one) => one.trim());
    return [
      ...(type === "LoadBalancer" ? [] : [fieldErrors.forbidden(path, onlyForBalancers)]),
      ...ranges.flatMap((range, index) => checkNetwork(range.trim(), `${path}[${index}]`, before)),
    ];
  }
  if (annotation === undefined) return [];
  const path = `metadata.annotations[${rangesAnnotation}]`;
  const isNew = old?.metadata.annotations?.[rangesAnnotation] !== annotation && annotation.trim() !== "";
  return [
    ...(type === "LoadBalancer" ? [] : [fieldErrors.forbidden(path, onlyForBalancers)]),
    ...(isNew
      ? annotation
          .trim()
          .split(",")
          .flatMap((range) => checkNetwork(range.trim(), path))
      : []),
  ];
}

function checkLoadBalancer({ type, allocateLoadBalancerNodePorts, loadBalancerClass }: ServiceSpec): FieldError[] {
  const isBalancer = type === "LoadBalancer";
  return [
    ...(allocateLoadBalancerNodePorts !== undefined && !isBalancer
      ? [fieldErrors.forbidden("spec.allocateLoadBalancerNodePorts", onlyForBalancers)]
      : []),
    ...checkBalancerClass(loadBalancerClass, isBalancer),
  ];
}

/** Checks the class of the load balancer. */
export function checkBalancerClass(name: string | undefined, isBalancer: boolean): FieldError[] {
  const path = "spec.loadBalancerClass";
  if (name === undefined) return [];
  return isBalancer ? checkQualified(name, path) : [fieldErrors.forbidden(path, onlyForBalancers)];
}

function checkTraffic(spec: ServiceSpec): FieldError[] {
  const { internalTrafficPolicy, trafficDistribution } = spec;
  return [
    ...checkExternalPolicy(spec),
    ...checkHealthCheck(spec),
    ...(internalTrafficPolicy === undefined
      ? []
      : checkOneOf(internalTrafficPolicy, "spec.internalTrafficPolicy", ["Cluster", "Local"])),
    ...(trafficDistribution === undefined ? [] : checkDistribution(trafficDistribution)),
  ];
}

const distributions = ["PreferClose", "PreferSameZone", "PreferSameNode"];

/** In Go this is a plain string, unlike the other enumerations, so the error formats it differently. */
function checkDistribution(value: string): FieldError[] {
  return distributions.includes(value)
    ? []
    : [fieldErrors.notSupported("spec.trafficDistribution", value, distributions)];
}

function checkExternalPolicy(spec: ServiceSpec): FieldError[] {
  const path = "spec.externalTrafficPolicy";
  const policy = spec.externalTrafficPolicy;
  if (isExternal(spec)) return requireOneOf(policy, path, ["Cluster", "Local"]);
  if (isEmpty(policy)) return [];
  return [fieldErrors.invalid(path, policy, "may only be set for externally-accessible services")];
}

function checkHealthCheck(spec: ServiceSpec): FieldError[] {
  const path = "spec.healthCheckNodePort";
  const port = spec.healthCheckNodePort ?? 0;
  if (needsHealthCheck(spec)) {
    return port === 0 ? [fieldErrors.required(path)] : invalidEach(path, port, checkPortNumber(port));
  }
  if (port === 0) return [];
  const why = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
  return [fieldErrors.invalid(path, port, why)];
}
