/** Maps built-in resources to their rules; a resource without rules is stored with structural checks only. */
import type { ResourceName } from "./context.ts";
import { coreRules } from "./core/index.ts";
import { groupRules } from "./groups.ts";
import type { ResourceRules } from "./rules.ts";

/** The rules of the built-in resources by `plural.group`. Each group has its own folder that exports such a map. */
export const builtinRules: ReadonlyMap<ResourceName, ResourceRules> = new Map<ResourceName, ResourceRules>([
  ...coreRules,
  ...groupRules,
]);
