/** The rules of every named group: all groups but the core. */
import type { ResourceName } from "./context.ts";
import type { ResourceRules } from "./rules.ts";
import { appsRules } from "./apps/index.ts";
import { batchRules } from "./batch/index.ts";

/** By `plural.group`. */
export const groupRules: ReadonlyMap<ResourceName, ResourceRules> = new Map<ResourceName, ResourceRules>([
  ...appsRules,
  ...batchRules,
]);
