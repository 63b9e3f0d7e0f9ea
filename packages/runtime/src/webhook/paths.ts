/** Where the hooks and conversions of resources are answered, and so whether there are any; loaded by programs that have none, too. */
import type { Resource } from "@capstan/schema";
import { RuntimeError } from "../errors.ts";
import { crdName, storageVersion } from "../resource.ts";

/** Where conversions are answered, for all resources: the path that controller-runtime uses. */
export const CONVERT_PATH = "/convert";

/** Paths that an operator chose itself, by the names of CRDs. */
export interface ChosenPaths {
  readonly [crd: string]: { readonly default?: string; readonly validate?: string };
}

/** Where a hook of a resource is answered: as chosen, or in the words of controller-runtime: `/validate-example-com-v1-widget`. */
export function hookPath(verb: "mutate" | "validate", resource: Resource, chosen: ChosenPaths = {}): string {
  const own = chosen[crdName(resource)]?.[verb === "mutate" ? "default" : "validate"];
  if (own !== undefined) return own;
  const group = resource.group.replaceAll(".", "-");
  return `/${verb}-${group}-${storageVersion(resource)}-${resource.kind.toLowerCase()}`;
}

/** Every path that is answered. */
export function webhookPaths(resources: readonly Resource[], chosen: ChosenPaths = {}): readonly string[] {
  return [
    ...resources.flatMap((resource) => (resource.hooks.default ? [hookPath("mutate", resource, chosen)] : [])),
    ...resources.flatMap((resource) => (resource.hooks.validate ? [hookPath("validate", resource, chosen)] : [])),
    ...(resources.some(isConverted) ? [CONVERT_PATH] : []),
  ];
}

/** Refuses paths that no API server could call, that two hooks would share, or that are for nothing. */
export function checkPaths(resources: readonly Resource[], chosen: ChosenPaths): void {
  for (const [crd, { default: fill, validate }] of Object.entries(chosen)) {
    const hooks = resources.find((resource) => crdName(resource) === crd)?.hooks;
    if ((fill !== undefined && !hooks?.default) || (validate !== undefined && !hooks?.validate))
      throw new RuntimeError("BadSetting", `Cannot choose a path for a hook of ${crd}: there is no such hook.`);
    const odd = [fill, validate].find((path) => path !== undefined && !/^\/[\w.~/-]+$/u.test(path));
    if (odd !== undefined)
      throw new RuntimeError("BadSetting", `Cannot answer at "${odd}": write a path such as /validate-widgets.`);
  }
  const paths = webhookPaths(resources, chosen);
  const twice = paths.find((path, at) => paths.indexOf(path) !== at);
  if (twice !== undefined)
    throw new RuntimeError("BadSetting", `Cannot answer two hooks at ${twice}: choose another path for one of them.`);
}

/** Whether a resource has versions that differ. */
export function isConverted({ conversions }: Resource): boolean {
  return Object.keys(conversions).length > 0;
}

/** Whether an operator has anything to serve. */
export function needsWebhooks(resources: readonly Resource[]): boolean {
  return webhookPaths(resources).length > 0;
}
