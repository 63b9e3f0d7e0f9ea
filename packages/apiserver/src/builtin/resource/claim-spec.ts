/** Defaults and validation of a ResourceClaim's spec: requests for devices, constraints between them, and driver configuration. */
import type {
  DeviceClaim,
  DeviceConstraint,
  DeviceRequest,
  DeviceToleration,
  ExactDeviceRequest,
  ResourceClaimSpec,
} from "@capstan/kinds/resource.k8s.io/v1";
import { checkLabelValue, fieldErrors, type FieldError } from "@capstan/model";
import type { Draft } from "../draft.ts";
import {
  checkLabelKey,
  checkLabelName,
  checkOneOf,
  checkSubdomain,
  invalidEach,
  isEmpty,
  requireOneOf,
} from "../meta/checks.ts";
import { checkConfiguration, maxConfigurations } from "./configuration.ts";
import { checkFullAttributeName } from "./names.ts";
import { checkSelectors } from "./selectors.ts";
import { checkList, checkSet, checkTexts } from "./sets.ts";

/** The fields that `exactly` and the subrequests in `firstAvailable` share. */
type Amount = Pick<ExactDeviceRequest, "deviceClassName" | "allocationMode" | "count" | "selectors" | "tolerations">;

/** The names of requests, and of the subrequests of each. */
export type RequestNames = ReadonlyMap<string, ReadonlySet<string>>;

/** The maximum number of requests of a claim. */
export const maxRequests = 32;
const maxAlternatives = 8;
const maxConstraints = 32;

/** Sets the defaults of `allocationMode`, `count` and the operators of tolerations. */
export function defaultClaimSpec({ devices }: Draft<ResourceClaimSpec>): void {
  for (const { exactly, firstAvailable = [] } of devices?.requests ?? []) {
    for (const request of [...(exactly ? [exactly] : []), ...firstAvailable]) {
      if (isEmpty(request.allocationMode)) request.allocationMode = "ExactCount";
      if (request.allocationMode === "ExactCount" && !request.count) request.count = 1;
      for (const toleration of request.tolerations ?? []) {
        if (isEmpty(toleration.operator)) toleration.operator = "Equal";
      }
    }
  }
}

/** Checks requests, constraints and driver configuration. */
export function checkClaimSpec({ devices = {} }: ResourceClaimSpec, path: string): FieldError[] {
  const { requests = [], constraints = [], config = [] } = devices;
  const names = requestNamesOf(devices);
  const at = `${path}.devices`;
  const isKnown = (name: string, place: string): FieldError[] => checkReference(name, place, names);
  return [
    ...checkSet(requests, `${at}.requests`, { limit: maxRequests, check: checkRequest, key: ({ name }) => name }),
    ...checkList(constraints, `${at}.constraints`, maxConstraints, (constraint, place) => [
      ...checkTexts(constraint.requests ?? [], `${place}.requests`, maxRequests, isKnown),
      ...checkConstraint(constraint, place),
    ]),
    ...checkList(config, `${at}.config`, maxConfigurations, (one, place) => [
      ...checkTexts(one.requests ?? [], `${place}.requests`, maxRequests, isKnown),
      ...checkConfiguration(one, place),
    ]),
  ];
}

/** The names that other parts of a claim may refer to. */
export function requestNamesOf({ requests }: DeviceClaim): RequestNames {
  return new Map(
    (requests ?? []).map(({ name, firstAvailable = [] }) => [name, new Set(firstAvailable.map((one) => one.name))]),
  );
}

/** Requires the name of a request, or `REQUEST/SUBREQUEST`. */
export function checkReference(name: string, path: string, names: RequestNames): FieldError[] {
  const why = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
  const parts = name.split("/");
  const unknown = fieldErrors.invalid(path, name, why);
  if (parts.length > 2) return [unknown];
  const [request = "", alternative] = parts;
  const alternatives = names.get(request);
  const isKnown = alternatives !== undefined && (alternative === undefined || alternatives.has(alternative));
  return [...parts.flatMap((part) => checkLabelName(part, path)), ...(isKnown ? [] : [unknown])];
}

function checkConstraint({ matchAttribute, distinctAttribute }: DeviceConstraint, path: string): FieldError[] {
  if (matchAttribute !== undefined) return checkFullAttributeName(matchAttribute, `${path}.matchAttribute`);
  if (distinctAttribute !== undefined) return checkFullAttributeName(distinctAttribute, `${path}.distinctAttribute`);
  const why = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set';
  return [fieldErrors.required(path, why)];
}

function checkRequest({ name, exactly, firstAvailable = [] }: DeviceRequest, path: string): FieldError[] {
  const one = "exactly one of `exactly` or `firstAvailable` is required";
  const errors = checkLabelName(name, `${path}.name`);
  if (exactly !== undefined && firstAvailable.length > 0) {
    return [...errors, fieldErrors.invalid(path, null, `${one}, but multiple fields are set`)];
  }
  if (exactly !== undefined) return [...errors, ...checkAmount(exactly, `${path}.exactly`)];
  if (firstAvailable.length === 0) return [...errors, fieldErrors.required(path, one)];
  const alternatives = checkSet(firstAvailable, `${path}.firstAvailable`, {
    limit: maxAlternatives,
    check: (request, place) => [...checkLabelName(request.name, `${place}.name`), ...checkAmount(request, place)],
    key: (request) => request.name,
  });
  return [...errors, ...alternatives];
}

function checkAmount(request: Amount, path: string): FieldError[] {
  const { deviceClassName, allocationMode, count = 0, selectors = [], tolerations = [] } = request;
  const at = `${path}.deviceClassName`;
  return [
    ...(isEmpty(deviceClassName) ? [fieldErrors.required(at)] : checkSubdomain(deviceClassName, at)),
    ...checkSelectors(selectors, `${path}.selectors`),
    ...checkMode(allocationMode, count, path),
    ...tolerations.flatMap((toleration, index) => checkToleration(toleration, `${path}.tolerations[${index}]`)),
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

/** The effects of device taints. */
export const taintEffects: readonly string[] = ["NoExecute", "NoSchedule", "None"];

function checkToleration({ key, operator, value = "", effect }: DeviceToleration, path: string): FieldError[] {
  return [
    ...(isEmpty(key) ? [] : checkLabelKey(key, `${path}.key`)),
    ...requireOneOf(operator, `${path}.operator`, ["Equal", "Exists"]),
    ...(operator === "Exists" && value !== ""
      ? [fieldErrors.invalid(`${path}.value`, value, "must be empty for operator `Exists`")]
      : []),
    ...(operator === "Equal" ? invalidEach(`${path}.value`, value, checkLabelValue(value)) : []),
    ...(isEmpty(effect) ? [] : checkOneOf(effect, `${path}.effect`, taintEffects)),
  ];
}
