/** Names of resources: native, extended, countable. */
import { checkQualifiedName, fieldErrors, parseQuantity, quantityToInteger, type FieldError } from "@capstan/model";
import { invalidEach } from "./checks.ts";
import { isNegative } from "./resource-list.ts";

const computeResources = ["cpu", "memory", "ephemeral-storage"];
const countedResources = [
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
];
const quotaResources = [
  ...computeResources,
  ...computeResources.map((name) => `requests.${name}`),
  ...computeResources.map((name) => `limits.${name}`),
  "requests.storage",
  ...countedResources,
];
const containerResources: ReadonlySet<string> = new Set(computeResources);
const wholeResources: ReadonlySet<string> = new Set(countedResources);
const standardQuotaResources: ReadonlySet<string> = new Set(quotaResources);
const standardResources: ReadonlySet<string> = new Set([...quotaResources, "storage"]);

/** Whether a name is a huge page resource. */
export function isHugePage(name: string): boolean {
  return name.startsWith("hugepages-");
}

function isQuotaHugePage(name: string): boolean {
  return isHugePage(name) || name.startsWith("requests.hugepages-");
}

/** Whether a name belongs to Kubernetes; names without a prefix do. */
export function isNativeResource(name: string): boolean {
  return !name.includes("/") || name.includes("kubernetes.io/");
}

/** Whether a name is an extended resource, for example a device. */
export function isExtendedResource(name: string): boolean {
  if (isNativeResource(name) || name.startsWith("requests.")) return false;
  return checkQualifiedName(`requests.${name}`).length === 0;
}

/** Whether a resource may be overcommitted. */
export function isOvercommitAllowed(name: string): boolean {
  return isNativeResource(name) && !isHugePage(name);
}

/** Whether a quota may limit a resource that has no prefix. */
export function isStandardQuotaResource(name: string): boolean {
  return standardQuotaResources.has(name) || isQuotaHugePage(name);
}

/** Requires a qualified name, and a known one if it does not have a prefix. */
export function checkResourceName(name: string, path: string): FieldError[] {
  const malformed = invalidEach(path, fieldErrors.named(name), checkQualifiedName(name));
  if (malformed.length > 0) return malformed;
  if (name.includes("/") || standardResources.has(name) || isQuotaHugePage(name)) return [];
  return [fieldErrors.invalid(path, fieldErrors.named(name), "must be a standard resource type or fully qualified")];
}

/** Requires a resource that a container can request. */
export function checkContainerResourceName(name: string, path: string): FieldError[] {
  const errors = checkResourceName(name, path);
  if (!name.includes("/")) {
    if (containerResources.has(name) || isHugePage(name)) return errors;
    return [
      ...errors,
      fieldErrors.invalid(path, fieldErrors.named(name), "must be a standard resource for containers"),
    ];
  }
  if (isNativeResource(name) || isExtendedResource(name)) return errors;
  return [
    ...errors,
    fieldErrors.invalid(path, fieldErrors.named(name), "doesn't follow extended resource name standard"),
  ];
}

/** Requires a resource that a quota can limit. */
export function checkQuotaResourceName(name: string, path: string): FieldError[] {
  const errors = checkResourceName(name, path);
  if (name.includes("/") || isStandardQuotaResource(name)) return errors;
  return [...errors, fieldErrors.invalid(path, fieldErrors.named(name), "must be a standard resource for quota")];
}

/** Checks an amount: not negative, and an integer for resources that are counted. */
export function checkAmount(name: string, amount: string, path: string): FieldError[] {
  const errors = isNegative(amount) ? [fieldErrors.invalid(path, amount, "must be greater than or equal to 0")] : [];
  const isWhole = wholeResources.has(name) || isExtendedResource(name);
  if (!isWhole || !isFractional(amount)) return errors;
  return [...errors, fieldErrors.invalid(path, amount, "must be an integer")];
}

/** Whether an amount is not an integer. */
export function isFractional(amount: string): boolean {
  return quantityToInteger(parseQuantity(amount), -3) % 1000n !== 0n;
}
