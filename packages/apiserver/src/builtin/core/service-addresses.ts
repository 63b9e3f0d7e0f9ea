/** Validation of the addresses of a service and their families. */
import type { ServiceSpec } from "@capstan/kinds/v1";
import { fieldErrors, type FieldError } from "@capstan/model";
import { checkOneOf } from "../meta/checks.ts";
import { ipFamilyOf } from "../meta/ip-address.ts";
import { checkIp } from "../meta/ip-checks.ts";
import { isHeadless } from "./service-shape.ts";
import { occursBefore } from "../occurs-before.ts";

const families = ["IPv4", "IPv6"];
const policies = ["PreferDualStack", "RequireDualStack", "SingleStack"];
const path = "spec.clusterIPs";

/** Checks `clusterIP`, `clusterIPs`, `ipFamilies` and `ipFamilyPolicy`; ExternalName services have none of them. */
export function checkAddressFields(spec: ServiceSpec, before: ServiceSpec | undefined): FieldError[] {
  if (spec.type === "ExternalName") return [];
  const { ipFamilyPolicy, clusterIPs = [] } = spec;
  const addresses = checkAddresses(clusterIPs, before?.clusterIPs ?? []);
  const errors = [
    ...checkFirst(spec),
    ...checkFamilies(spec.ipFamilies ?? []),
    ...(ipFamilyPolicy === undefined ? [] : checkOneOf(ipFamilyPolicy, "spec.ipFamilyPolicy", policies)),
    ...addresses,
    ...(clusterIPs.length > 2 ? [fieldErrors.invalid(path, clusterIPs, "may only hold up to 2 values")] : []),
  ];
  return addresses.length > 0 ? errors : [...errors, ...checkMatches(spec)];
}

function checkFirst({ clusterIP = "", clusterIPs = [] }: ServiceSpec): FieldError[] {
  if (clusterIP === "") {
    if (clusterIPs.length === 0) return [];
    return [fieldErrors.invalid(path, clusterIPs, "must be empty when `clusterIP` is not specified")];
  }
  if (clusterIPs.length === 0) return [fieldErrors.required(path)];
  return clusterIPs[0] === clusterIP
    ? []
    : [fieldErrors.invalid(path, clusterIPs, "first value must match `clusterIP`")];
}

function checkFamilies(given: readonly string[]): FieldError[] {
  return given.flatMap((family, index) => [
    ...checkOneOf(family, `spec.ipFamilies[${index}]`, families),
    ...(occursBefore(given, index) ? [fieldErrors.duplicate(`spec.ipFamilies[${index}]`, family)] : []),
  ]);
}

function checkAddresses(clusterIPs: readonly string[], before: readonly string[]): FieldError[] {
  return clusterIPs.flatMap((ip, index) => {
    if (index > 0 || ip !== "None") return checkIp(ip, `${path}[${index}]`, before);
    return clusterIPs.length > 1
      ? [fieldErrors.invalid(path, clusterIPs, "'None' must be the first and only value")]
      : [];
  });
}

function checkMatches(spec: ServiceSpec): FieldError[] {
  const { clusterIPs = [], ipFamilies = [] } = spec;
  const found = clusterIPs.map(ipFamilyOf);
  const errors =
    clusterIPs.length === 2 && new Set(found).size !== clusterIPs.length
      ? [fieldErrors.invalid(path, clusterIPs, "may specify no more than one IP for each IP family")]
      : [];
  if (isHeadless(spec)) return errors;
  clusterIPs.forEach((ip, index) => {
    const family = ipFamilies[index];
    if (family === undefined || !families.includes(family) || found[index] === family) return;
    const why = `expected an ${family} value as indicated by \`ipFamilies[${index}]\``;
    errors.push(fieldErrors.invalid(`${path}[${index}]`, ip, why));
  });
  return errors;
}
