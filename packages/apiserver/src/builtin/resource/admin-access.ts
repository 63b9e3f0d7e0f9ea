/** Access to devices that are in use by others: only in namespaces that an administrator has labelled for it. */
import type { DeviceRequest, DeviceRequestAllocationResult } from "@capstan/kinds/resource.k8s.io/v1";
import { fieldErrors, type FieldError } from "@capstan/model";
import type { RuleContext } from "../context.ts";

const label = "resource.kubernetes.io/admin-access";

/** Refuses the first request that asks for it where it is not allowed; templates name the same place as claims. */
export function checkAdminRequests(requests: readonly DeviceRequest[], context: RuleContext): FieldError[] {
  const index = requests.findIndex(({ exactly }) => exactly?.adminAccess === true);
  return index < 0 ? [] : checkNamespace(`spec.devices.requests[${index}].adminAccess`, context);
}

type Results = readonly DeviceRequestAllocationResult[];

/** The same for what was given; what has been given once stays. */
export function checkAdminResults(results: Results, old: Results, context: RuleContext): FieldError[] {
  const grants = ({ adminAccess }: DeviceRequestAllocationResult): boolean => adminAccess === true;
  const index = results.findIndex(grants);
  if (index < 0 || old.some(grants)) return [];
  return checkNamespace(`status.allocation.devices.results[${index}].adminAccess`, context);
}

function checkNamespace(path: string, { lookup, namespace }: RuleContext): FieldError[] {
  if (lookup.get("namespaces", namespace)?.metadata.labels?.[label] === "true") return [];
  const why = `admin access to devices requires the \`${label}: true\` label on the containing namespace`;
  return [fieldErrors.forbidden(path, why)];
}
