/** Which resources need webhooks: those with functions that default, check or convert their objects. */
import type { Resource } from "@capstan/schema";

/** Whether objects are defaulted or checked by functions. */
export function isHooked({ hooks }: Pick<Resource, "hooks">): boolean {
  return hooks.default !== undefined || hooks.validate !== undefined;
}

/** Whether objects are converted between versions by functions. */
export function isConverted({ conversions }: Pick<Resource, "conversions">): boolean {
  return Object.keys(conversions).length > 0;
}

/** Whether a program serves webhooks at all. */
export function servesWebhooks({ resources }: { readonly resources: readonly Resource[] }): boolean {
  return resources.some((resource) => isHooked(resource) || isConverted(resource));
}
