/** ServiceCIDR and IPAddress: the ranges of cluster IPs and the allocated addresses. */
import type { IPAddress, ServiceCIDR as ServiceCidrObject } from "@capstan/kinds/networking.k8s.io/v1";
import { checkPathSegment, fieldErrors, isDeepEqual, type FieldError } from "@capstan/model";
import { checkMetadataUpdate, checkObjectMetadata, checkStandardFinalizers } from "../../metadata/check.ts";
import { checkSubdomain, invalidEach } from "../meta/checks.ts";
import { formatIp, networkAddress, parseIp, parseNetwork } from "../meta/ip-address.ts";
import { checkIp, checkNetwork } from "../meta/ip-checks.ts";
import { dropField, keepField, statusView } from "../meta/status.ts";
import { defineRules, type KindRules } from "../rules.ts";
import { keepMetadata } from "../storage/keep-metadata.ts";
import { ageOf } from "../table/cells.ts";
import type { Whole } from "../whole.ts";
import { requireSegment } from "./reference.ts";

type ServiceCidr = Whole<ServiceCidrObject>;

/** Rules of ServiceCIDR. */
export const serviceCidr: KindRules<ServiceCidr> = defineRules<ServiceCidr>({
  prepareForCreate: (draft) => dropField(draft, "status"),
  prepareForUpdate: (draft, old) => keepField(draft, old, "status"),
  validateCreate: ({ spec }) => checkRanges(spec.cidrs ?? []),
  validateUpdate: ({ spec }, old) => checkRangesUpdate(spec.cidrs ?? [], old.spec.cidrs ?? []),
  subresources: {
    status: statusView<ServiceCidr>({
      resetFields: ["metadata", "spec"],
      prepare: keepMetadata,
    }),
  },
  table: {
    row: (object, now) => ({
      cells: [object.metadata.name, (object.spec.cidrs ?? []).join(","), ageOf(object, now)],
    }),
  },
});

const path = "spec.cidrs";

function checkRanges(ranges: readonly string[]): FieldError[] {
  if (ranges.length === 0) return [fieldErrors.required(path, "at least one CIDR required")];
  if (ranges.length > 2) return [fieldErrors.invalid(path, { CIDRs: ranges }, "may only hold up to 2 values")];
  const errors = ranges.flatMap((range, index) => checkCanonicalNetwork(range, `${path}[${index}]`));
  const families = ranges.map((range) => parseNetwork(range)?.bits);
  if (ranges.length < 2 || families[0] === undefined || families[0] !== families[1]) return errors;
  const why = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64";
  return [...errors, fieldErrors.invalid(path, ranges, why)];
}

function checkCanonicalNetwork(text: string, at: string): FieldError[] {
  const errors = checkNetwork(text, at);
  const network = parseNetwork(text);
  if (errors.length > 0 || network === undefined) return errors;
  const canonical = `${formatIp(networkAddress(network))}/${network.prefix}`;
  return canonical === text ? [] : [fieldErrors.invalid(at, text, `must be in canonical form ("${canonical}")`)];
}

function checkRangesUpdate(ranges: readonly string[], old: readonly string[]): FieldError[] {
  const changed = (index: number): FieldError[] =>
    ranges[index] === old[index] ? [] : [fieldErrors.invalid(`${path}[${index}]`, ranges[index], "field is immutable")];
  if (ranges.length === old.length) return old.flatMap((_, index) => changed(index));
  if (old.length === 1 && ranges.length === 2) return [...changed(0), ...checkRanges(ranges)];
  return [fieldErrors.invalid(path, ranges.length === 0 ? null : ranges, "field is immutable")];
}

/** Rules of IPAddress. */
export const ipAddress: KindRules<IPAddress> = defineRules<IPAddress>({
  validatesMetadata: true,
  validateCreate: checkAddress,
  validateUpdate: (object, old) => [
    ...checkAddress(object),
    ...checkMetadataUpdate(object.metadata, old.metadata),
    ...checkStandardFinalizers(object.metadata),
    ...(isDeepEqual(object.spec?.parentRef, old.spec?.parentRef)
      ? []
      : [fieldErrors.invalid("spec.parentRef", internalParent(object), "field is immutable")]),
  ],
  table: {
    row: (object, now) => ({ cells: [object.metadata.name, parentCell(object), ageOf(object, now)] }),
  },
});

function internalParent({ spec }: IPAddress): object | null {
  const parent: Partial<NonNullable<IPAddress["spec"]>["parentRef"]> | null = spec?.parentRef ?? null;
  if (parent === null) return null;
  const { group = "", resource = "", namespace = "", name = "" } = parent;
  return { Group: group, Resource: resource, Namespace: namespace, Name: name };
}

function parentCell({ spec }: IPAddress): string {
  if (spec?.parentRef === undefined) return "<none>";
  const { group = "", resource, namespace = "", name } = spec.parentRef;
  const kind = (group === "" ? resource : `${resource}.${group}`).toLowerCase();
  return [kind, ...(namespace === "" ? [] : [namespace]), name].join("/");
}

/** Requires a name that is an address in canonical form. */
function addressName(name: string): readonly string[] {
  const errors = checkIp(name, "");
  if (errors.length > 0) return errors.map(({ body }) => body.slice(body.indexOf(": ", body.indexOf(": ") + 2) + 2));
  const address = parseIp(name);
  const canonical = address === undefined ? name : formatIp(address);
  return canonical === name ? [] : [`must be in canonical form ("${canonical}")`];
}

function checkAddress(object: IPAddress): FieldError[] {
  const parent = object.spec?.parentRef;
  const metadata = checkObjectMetadata(object, false, addressName);
  const at = "spec.parentRef";
  if (parent === undefined || parent === null) return [...metadata, fieldErrors.required(at)];
  const { group = "", resource, name, namespace = "" } = parent;
  return [
    ...metadata,
    ...(group === "" ? [] : checkSubdomain(group, `${at}.group`)),
    ...requireSegment(resource, `${at}.resource`),
    ...requireSegment(name, `${at}.name`),
    ...(namespace === "" ? [] : invalidEach(`${at}.namespace`, namespace, checkPathSegment(namespace))),
  ];
}
