/** The paths of webhooks and conversions, and whether there are any; also loaded by programs without webhooks. */
import type { Resource } from "@capstan/schema";
import { RuntimeError } from "../errors.ts";
import { crdName, storageVersion } from "../resource.ts";

/** The path of conversions, for all resources, as in controller-runtime. */
export const CONVERT_PATH = "/convert";

/** Paths that an operator sets itself, by CRD name. */
export interface ChosenPaths {
  readonly [crd: string]: { readonly default?: string; readonly validate?: string };
}

/** The path of a webhook: as set, or as controller-runtime derives it: `/validate-example-com-v1-widget`. */
export function hookPath(verb: "mutate" | "validate", resource: Resource, chosen: ChosenPaths = {}): string {
  const own = chosen[crdName(resource)]?.[verb === "mutate" ? "default" : "validate"];
  if (own !== undefined) return own;
  const group = resource.group.replaceAll(".", "-");
  return `/${verb}-${group}-${storageVersion(resource)}-${resource.kind.toLowerCase()}`;
}

/** All served paths. */
export function webhookPaths(resources: readonly Resource[], chosen: ChosenPaths = {}): readonly string[] {
  return [
    ...resources.flatMap((resource) => (resource.hooks.default ? [hookPath("mutate", resource, chosen)] : [])),
    ...resources.flatMap((resource) => (resource.hooks.validate ? [hookPath("validate", resource, chosen)] : [])),
    ...(resources.some(isConverted) ? [CONVERT_PATH] : []),
  ];
}

/** Rejects invalid paths, paths that two webhooks would share, and paths without a webhook. */
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

/** Whether a resource has conversions. */
export function isConverted({ conversions }: Resource): boolean {
  return Object.keys(conversions).length > 0;
}

/** Whether an operator has webhooks or conversions. */
export function needsWebhooks(resources: readonly Resource[]): boolean {
  return webhookPaths(resources).length > 0;
}
