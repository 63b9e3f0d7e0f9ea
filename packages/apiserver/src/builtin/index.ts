/** Which rules belong to which built-in resource; a resource that is not listed is stored with structural checks only. */
import type { ResourceName } from "./context.ts";
import { coreRules } from "./core/index.ts";
import { groupRules } from "./groups.ts";
import type { ResourceRules } from "./rules.ts";

/** The rules of the built-in resources by `plural.group`. Each group has a folder of its own that exports such a map. */
export const builtinRules: ReadonlyMap<ResourceName, ResourceRules> = new Map<ResourceName, ResourceRules>([
  ...coreRules,
  ...groupRules,
]);
