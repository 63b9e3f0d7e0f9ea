/** Admin access to devices that are in use: only in namespaces with the admin-access label. */
import type { DeviceRequest, DeviceRequestAllocationResult } from "@capstan/kinds/resource.k8s.io/v1";
import { fieldErrors, type FieldError } from "@capstan/model";
import type { RuleContext } from "../context.ts";

const label = "resource.kubernetes.io/admin-access";

/** Rejects the first request with adminAccess in a namespace without the label; templates report the same path as claims. */
export function checkAdminRequests(requests: readonly DeviceRequest[], context: RuleContext): FieldError[] {
  const index = requests.findIndex(({ exactly }) => exactly?.adminAccess === true);
  return index < 0 ? [] : checkNamespace(`spec.devices.requests[${index}].adminAccess`, context);
}

type Results = readonly DeviceRequestAllocationResult[];

/** The same for allocation results; access that was already granted stays. */
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
