/** Fills in the IP families of a service from its policy, its addresses and the families of the cluster. */
import type { ServiceSpec } from "@capstan/kinds/v1";
import { fieldErrors, type FieldError } from "@capstan/model";
import type { Draft } from "../draft.ts";
import { ipFamilyOf } from "../meta/ip-address.ts";
import { checkAddressFields } from "./service-addresses.ts";
import { isSameList, needsAddress } from "./service-shape.ts";

export type IpFamily = "IPv4" | "IPv6";
type DraftSpec = Draft<ServiceSpec>;

const policyPath = "spec.ipFamilyPolicy";

/** Fills in policy and families, or returns errors. The first family of the cluster is the default. */
export function fillFamilies(
  spec: DraftSpec,
  before: ServiceSpec | undefined,
  offered: readonly IpFamily[],
): FieldError[] {
  if (!needsAddress(spec)) return [];
  if (before !== undefined && isUntouchedPreference(spec, before)) return [];
  spec.ipFamilyPolicy ??= before?.ipFamilyPolicy ?? defaultPolicy(spec);
  const malformed = checkAddressFields(spec, before);
  if (malformed.length > 0) return malformed;
  const errors = [
    ...(before === undefined ? [] : checkReduction(spec, before)),
    ...checkSingle(spec),
    ...addFamiliesOfAddresses(spec, offered),
  ];
  if (errors.length > 0) return errors;
  if (isSelectorless(spec)) {
    completeSelectorless(spec, offered);
    return [];
  }
  const missing = checkOffered(spec, offered);
  if (missing.length > 0) return missing;
  complete(spec, offered);
  return [];
}

/** A PreferDualStack service that requests nothing new is left unchanged. */
export function isUntouchedPreference(spec: ServiceSpec, before: ServiceSpec): boolean {
  return (
    spec.ipFamilyPolicy === "PreferDualStack" &&
    (before.ipFamilyPolicy ?? "PreferDualStack") === "PreferDualStack" &&
    spec.type === before.type &&
    needsAddress(spec) &&
    isSameList(spec.clusterIPs, before.clusterIPs) &&
    isSameList(spec.ipFamilies, before.ipFamilies)
  );
}

/** Headless and without a selector: the endpoints are managed externally and may be of any family. */
function isSelectorless({ clusterIP, selector = {} }: ServiceSpec): boolean {
  return clusterIP === "None" && Object.keys(selector).length === 0;
}

function defaultPolicy(spec: ServiceSpec): "RequireDualStack" | "SingleStack" {
  return isSelectorless(spec) ? "RequireDualStack" : "SingleStack";
}

/** With SingleStack, unchanged lists shrink to one item. Any other policy rejects the removal of secondary values. */
function checkReduction(spec: DraftSpec, before: ServiceSpec): FieldError[] {
  if (spec.ipFamilyPolicy === "SingleStack") {
    if (isSameList(spec.clusterIPs, before.clusterIPs)) spec.clusterIPs = (spec.clusterIPs ?? []).slice(0, 1);
    if (isSameList(spec.ipFamilies, before.ipFamilies)) spec.ipFamilies = (spec.ipFamilies ?? []).slice(0, 1);
    return [];
  }
  const isFewer = (now: readonly string[] = [], old: readonly string[] = []): boolean =>
    now.length > 0 && now.length < old.length;
  const refuse = (what: string): FieldError =>
    fieldErrors.invalid(policyPath, spec.ipFamilyPolicy, `must be 'SingleStack' to release the secondary ${what}`);
  return [
    ...(isFewer(spec.clusterIPs, before.clusterIPs) ? [refuse("cluster IP")] : []),
    ...(isFewer(spec.ipFamilies, before.ipFamilies) ? [refuse("IP family")] : []),
  ];
}

function checkSingle({ ipFamilyPolicy, clusterIPs = [], ipFamilies = [] }: ServiceSpec): FieldError[] {
  if (ipFamilyPolicy !== "SingleStack") return [];
  const refuse = (what: string): FieldError =>
    fieldErrors.invalid(
      policyPath,
      ipFamilyPolicy,
      `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`,
    );
  return [
    ...(clusterIPs.length === 2 ? [refuse("cluster IPs")] : []),
    ...(ipFamilies.length === 2 ? [refuse("IP families")] : []),
  ];
}

function addFamiliesOfAddresses(spec: DraftSpec, offered: readonly IpFamily[]): FieldError[] {
  const errors: FieldError[] = [];
  const families = [...(spec.ipFamilies ?? [])];
  for (const [index, ip] of (spec.clusterIPs ?? []).entries()) {
    if (ip === "None") break;
    if (index < families.length) continue;
    const family = ipFamilyOf(ip) ?? "unknown";
    if (family !== "unknown" && offered.includes(family)) families.push(family);
    else {
      const why = `${family} is not configured on this cluster`;
      errors.push(fieldErrors.invalid(`spec.clusterIPs[${index}]`, spec.clusterIPs, why));
    }
  }
  if (families.length > 0) spec.ipFamilies = families;
  return errors;
}

function otherFamily(family: string | undefined): IpFamily {
  return family === "IPv4" ? "IPv6" : "IPv4";
}

function completeSelectorless(spec: DraftSpec, offered: readonly IpFamily[]): void {
  const families = [...(spec.ipFamilies ?? [])];
  if (families.length === 0) families.push(offered[0] ?? "IPv4");
  if (families.length < 2 && spec.ipFamilyPolicy !== "SingleStack") families.push(otherFamily(families[0]));
  spec.ipFamilies = families;
}

function checkOffered({ ipFamilyPolicy, ipFamilies = [] }: ServiceSpec, offered: readonly IpFamily[]): FieldError[] {
  return [
    ...(ipFamilyPolicy === "RequireDualStack" && offered.length < 2
      ? [fieldErrors.invalid(policyPath, ipFamilyPolicy, "this cluster is not configured for dual-stack services")]
      : []),
    ...ipFamilies.flatMap((family, index) =>
      offered.some((one) => one === family)
        ? []
        : [fieldErrors.invalid(`spec.ipFamilies[${index}]`, family, "not configured on this cluster")],
    ),
  ];
}

function complete(spec: DraftSpec, offered: readonly IpFamily[]): void {
  const families = [...(spec.ipFamilies ?? [])];
  if (families.length === 0) families.push(offered[0] ?? "IPv4");
  if (spec.ipFamilyPolicy !== "SingleStack" && families.length === 1 && offered.length === 2) {
    families.push(otherFamily(families[0]));
  }
  spec.ipFamilies = families;
}
