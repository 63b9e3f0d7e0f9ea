/** Validation of the status of a load balancer. */
import type { LoadBalancerIngress, Service } from "@capstan/kinds/v1";
import { checkDns1123Subdomain, fieldErrors, type FieldError } from "@capstan/model";
import { checkOneOf, invalidEach } from "../meta/checks.ts";
import { parseIp } from "../meta/ip-address.ts";
import { checkIp } from "../meta/ip-checks.ts";
import { specOf } from "./service-shape.ts";

/** Only services of type LoadBalancer may have ingress addresses. */
export function checkLoadBalancerStatus(service: Service, old: Service): FieldError[] {
  const path = "status.loadBalancer.ingress";
  const ingress = service.status?.loadBalancer?.ingress ?? [];
  if (specOf(service).type !== "LoadBalancer") {
    if (ingress.length === 0) return [];
    return [fieldErrors.forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'")];
  }
  const known = (old.status?.loadBalancer?.ingress ?? []).flatMap(({ ip = "" }) => (ip === "" ? [] : [ip]));
  return ingress.flatMap((one, index) => checkIngress(one, `${path}[${index}]`, known));
}

function checkIngress(
  { ip = "", ipMode, hostname = "" }: LoadBalancerIngress,
  path: string,
  known: readonly string[],
): FieldError[] {
  return [
    ...(ip === "" ? [] : checkIp(ip, `${path}.ip`, known)),
    ...checkMode(ip, ipMode, `${path}.ipMode`),
    ...(hostname === "" ? [] : invalidEach(`${path}.hostname`, hostname, checkDns1123Subdomain(hostname))),
    ...(parseIp(hostname) === undefined
      ? []
      : [fieldErrors.invalid(`${path}.hostname`, hostname, "must be a DNS name, not an IP address")]),
  ];
}

function checkMode(ip: string, mode: string | undefined, path: string): FieldError[] {
  if (mode === undefined) {
    return ip === "" ? [] : [fieldErrors.required(path, "must be specified when `ip` is set")];
  }
  if (ip === "") return [fieldErrors.forbidden(path, "may not be specified when `ip` is not set")];
  return checkOneOf(mode, path, ["Proxy", "VIP"]);
}
