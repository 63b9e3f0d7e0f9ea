/** What a claim asks for: devices of a class, so many of them or all. */
import type { DeviceRequest, ExactDeviceRequest, ResourceClaimSpec } from "@capstan/kinds/resource.k8s.io/v1";
import { fieldErrors, type FieldError } from "@capstan/model";
import type { Draft } from "../draft.ts";
import { checkLabelName, checkSubdomain, isEmpty } from "../meta/checks.ts";

/** What single and alternative requests have in common. */
type Amount = Pick<ExactDeviceRequest, "deviceClassName" | "allocationMode" | "count">;

const maxRequests = 32;
const maxAlternatives = 8;

/** Fills in how many devices a request is about. */
export function defaultClaimSpec({ devices }: Draft<ResourceClaimSpec>): void {
  for (const { exactly, firstAvailable = [] } of devices?.requests ?? []) {
    for (const request of [...(exactly ? [exactly] : []), ...firstAvailable]) {
      if (isEmpty(request.allocationMode)) request.allocationMode = "ExactCount";
      if (request.allocationMode === "ExactCount" && !request.count) request.count = 1;
    }
  }
}

/** Checks the requests; expressions of selectors, constraints and configurations are stored as they come. */
export function checkClaimSpec({ devices }: ResourceClaimSpec, path: string): FieldError[] {
  const requests = devices?.requests ?? [];
  const at = `${path}.devices.requests`;
  if (requests.length > maxRequests) return [fieldErrors.tooMany(at, requests.length, maxRequests)];
  return checkDistinct(requests, at, checkRequest);
}

function checkDistinct<T extends { readonly name: string }>(
  items: readonly T[],
  path: string,
  check: (item: T, path: string) => FieldError[],
): FieldError[] {
  const names = items.map(({ name }) => name);
  return items.flatMap((item, index) => [
    ...check(item, `${path}[${index}]`),
    ...(names.indexOf(item.name) < index ? [fieldErrors.duplicate(`${path}[${index}]`, item.name)] : []),
  ]);
}

function checkRequest({ name, exactly, firstAvailable = [] }: DeviceRequest, path: string): FieldError[] {
  const one = "exactly one of `exactly` or `firstAvailable` is required";
  const errors = checkLabelName(name, `${path}.name`);
  if (exactly !== undefined && firstAvailable.length > 0) {
    return [...errors, fieldErrors.invalid(path, null, `${one}, but multiple fields are set`)];
  }
  if (exactly !== undefined) return [...errors, ...checkAmount(exactly, `${path}.exactly`)];
  if (firstAvailable.length === 0) return [...errors, fieldErrors.required(path, one)];
  const at = `${path}.firstAvailable`;
  if (firstAvailable.length > maxAlternatives) {
    return [...errors, fieldErrors.tooMany(at, firstAvailable.length, maxAlternatives)];
  }
  const alternatives = checkDistinct(firstAvailable, at, (request, place) => [
    ...checkLabelName(request.name, `${place}.name`),
    ...checkAmount(request, place),
  ]);
  return [...errors, ...alternatives];
}

function checkAmount({ deviceClassName, allocationMode, count = 0 }: Amount, path: string): FieldError[] {
  const at = `${path}.deviceClassName`;
  return [
    ...(isEmpty(deviceClassName) ? [fieldErrors.required(at)] : checkSubdomain(deviceClassName, at)),
    ...checkMode(allocationMode, count, path),
  ];
}

function checkMode(mode: string | undefined, count: number, path: string): FieldError[] {
  const at = `${path}.count`;
  switch (mode) {
    case "All":
      if (count === 0) return [];
      return [fieldErrors.invalid(at, count, "must not be specified when allocationMode is 'All'")];
    case "ExactCount":
      return count > 0 ? [] : [fieldErrors.invalid(at, count, "must be greater than zero")];
    default:
      return [fieldErrors.notSupportedName(`${path}.allocationMode`, mode ?? "", ["All", "ExactCount"])];
  }
}
