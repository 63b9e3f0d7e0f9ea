/** Immutable fields of a service. */
import type { Service, ServiceSpec } from "@capstan/kinds/v1";
import { fieldErrors, type FieldError } from "@capstan/model";
import { checkBalancerClass } from "./service-check.ts";
import { isHeadless, needsHealthCheck, specOf } from "./service-shape.ts";

/** Checks addresses, families, the class of the load balancer and its health check port. */
export function checkServiceChange(service: Service, old: Service): FieldError[] {
  const spec = specOf(service);
  const before = specOf(old);
  return [
    ...checkAddresses(spec, before),
    ...checkFamilies(spec, before),
    ...checkClass(spec, before),
    ...(needsHealthCheck(before) &&
    needsHealthCheck(spec) &&
    (spec.healthCheckNodePort ?? 0) !== (before.healthCheckNodePort ?? 0)
      ? [fieldErrors.forbidden("spec.healthCheckNodePort", "field is immutable")]
      : []),
  ];
}

const fixed = "may not change once set";

function isOutside({ type }: ServiceSpec): boolean {
  return type === "ExternalName";
}

function checkAddresses(spec: ServiceSpec, before: ServiceSpec): FieldError[] {
  if (isOutside(spec) || isOutside(before) || (isHeadless(spec) && isHeadless(before))) return [];
  const now = spec.clusterIPs ?? [];
  const old = before.clusterIPs ?? [];
  const path = "spec.clusterIPs";
  if (now.length === old.length) {
    return old.flatMap((ip, index) =>
      ip === now[index] ? [] : [fieldErrors.invalid(`${path}[${index}]`, now, fixed)],
    );
  }
  const moved =
    old.length > 0 && now.length > 0 && now[0] !== old[0] ? [fieldErrors.invalid(`${path}[0]`, now, fixed)] : [];
  if (now.length > old.length) return moved;
  return [
    ...(now.length === 0
      ? [fieldErrors.invalid(`${path}[0]`, spec.clusterIPs ?? null, "primary clusterIP can not be unset")]
      : []),
    ...moved,
    ...(now.length === 1 ? checkSingle(spec, "clusterIP") : []),
  ];
}

function checkSingle({ ipFamilyPolicy }: ServiceSpec, what: "clusterIP" | "ipFamily"): FieldError[] {
  if (ipFamilyPolicy === "SingleStack") return [];
  const why = `must be set to 'SingleStack' when releasing the secondary ${what}`;
  return [fieldErrors.invalid("spec.ipFamilyPolicy", ipFamilyPolicy ?? null, why)];
}

function checkFamilies(spec: ServiceSpec, before: ServiceSpec): FieldError[] {
  if ([spec, before].some((one) => isOutside(one) || isHeadless(one))) return [];
  const { ipFamilies: now = [], clusterIPs } = spec;
  const { ipFamilies: old = [] } = before;
  const path = "spec.ipFamilies[0]";
  if (now.length === old.length) {
    return old.flatMap((family, index) => (family === now[index] ? [] : [fieldErrors.invalid(path, now, fixed)]));
  }
  const isMoved = now.length > 0 && old.length > 0 && now[0] !== old[0];
  const moved = isMoved ? [fieldErrors.invalid(path, clusterIPs ?? null, fixed)] : [];
  if (now.length > old.length) return moved;
  return [
    ...(clusterIPs === undefined || clusterIPs.length === 0
      ? [fieldErrors.invalid(path, spec.ipFamilies ?? null, "primary ipFamily can not be unset")]
      : []),
    ...moved,
    ...(now.length === 1 ? checkSingle(spec, "ipFamily") : []),
  ];
}

function checkClass(spec: ServiceSpec, before: ServiceSpec): FieldError[] {
  const isBalancer = spec.type === "LoadBalancer";
  const isChanged = isBalancer && before.type === "LoadBalancer" && spec.loadBalancerClass !== before.loadBalancerClass;
  return [
    ...(isChanged ? [fieldErrors.invalid("spec.loadBalancerClass", spec.loadBalancerClass ?? null, fixed)] : []),
    ...checkBalancerClass(spec.loadBalancerClass, isBalancer),
  ];
}
