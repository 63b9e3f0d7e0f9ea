/** Where the built-in kinds keep quantities, which the server stores in its own spelling: `1000m` as `1`, `1024Mi` as `1Gi`. */
import { normalizeQuantity } from "@capstan/model";

/**
 * By path. A key of a map follows a dot or is in brackets; an item of a list is in brackets. quantity.test.ts checks the list against the
 * OpenAPI document.
 */
const quantities = new RegExp(
  [
    // Pods, their volumes and claims.
    String.raw`\bresources\.(?:limits|requests)[.[]`,
    String.raw`\bspec\.overhead[.[]`,
    String.raw`\.emptyDir\.sizeLimit$`,
    String.raw`\.resourceFieldRef\.divisor$`,
    String.raw`^spec\.(?:source\.inlineVolumeSpec\.)?capacity[.[]`,
    String.raw`^spec\.volumeClaimTemplates\[[^\]]*\]\.status\.(?:capacity|allocatedResources)[.[]`,
    // RuntimeClass, ResourceQuota, LimitRange, CSIStorageCapacity, HorizontalPodAutoscaler.
    String.raw`^overhead\.podFixed[.[]`,
    String.raw`^spec\.hard[.[]`,
    String.raw`^spec\.limits\[[^\]]*\]\.(?:default|defaultRequest|max|maxLimitRequestRatio|min)[.[]`,
    String.raw`^(?:capacity|maximumVolumeSize)$`,
    String.raw`^spec\.metrics\[[^\]]*\]\.[a-zA-Z]+\.target\.(?:averageValue|value)$`,
    String.raw`^spec\.behavior\.scale(?:Down|Up)\.tolerance$`,
    // ResourceClaims and ResourceSlices.
    String.raw`\bdevices\.requests\[[^\]]*\]\..*\bcapacity\.requests[.[]`,
    String.raw`^spec\.devices\[[^\]]*\]\.capacity[.[].*(?:\.value|\.(?:default|max|min|step)|\.validValues(?:\[[^\]]*\])?)$`,
    String.raw`^spec\..*\bcounters[.[].*\.value$`,
    String.raw`\.allocationMultiplier$`,
  ].join("|"),
  "u",
);

/** Whether a field of a built-in kind is a quantity. */
export function isQuantity(path: string): boolean {
  return quantities.test(path);
}

/** Whether two values are the same quantity, for paths that hold quantities in built-in kinds. */
export function isSameQuantity(path: string, desired: unknown, live: unknown): boolean {
  if (typeof live !== "string" || !isQuantity(path)) return false;
  if (typeof desired !== "string" && typeof desired !== "number") return false;
  try {
    return normalizeQuantity(String(desired)) === normalizeQuantity(live);
  } catch {
    return false;
  }
}
