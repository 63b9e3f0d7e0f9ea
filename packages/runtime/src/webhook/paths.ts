/** Where the hooks and conversions of resources are answered, and so whether there are any; loaded by programs that have none, too. */
import type { Resource } from "@capstan/schema";
import { storageVersion } from "../resource.ts";

/** Where conversions are answered, for all resources: the path that controller-runtime uses. */
export const CONVERT_PATH = "/convert";

/** Where a hook of a resource is answered, in the words of controller-runtime: `/validate-example-com-v1-widget`. */
export function hookPath(verb: "mutate" | "validate", resource: Resource): string {
  const group = resource.group.replaceAll(".", "-");
  return `/${verb}-${group}-${storageVersion(resource)}-${resource.kind.toLowerCase()}`;
}

/** Every path that is answered. */
export function webhookPaths(resources: readonly Resource[]): readonly string[] {
  return [
    ...resources.flatMap((resource) => (resource.hooks.default ? [hookPath("mutate", resource)] : [])),
    ...resources.flatMap((resource) => (resource.hooks.validate ? [hookPath("validate", resource)] : [])),
    ...(resources.some(isConverted) ? [CONVERT_PATH] : []),
  ];
}

/** Whether a resource has versions that differ. */
export function isConverted({ conversions }: Resource): boolean {
  return Object.keys(conversions).length > 0;
}

/** Whether an operator has anything to serve. */
export function needsWebhooks(resources: readonly Resource[]): boolean {
  return webhookPaths(resources).length > 0;
}
