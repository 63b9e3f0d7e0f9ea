/** The rules of every named group: all groups but the core. */
import type { ResourceName } from "./context.ts";
import type { ResourceRules } from "./rules.ts";
import { appsRules } from "./apps/index.ts";
import { authenticationRules } from "./authentication/index.ts";
import { authorizationRules } from "./authorization/index.ts";
import { batchRules } from "./batch/index.ts";
import { rbacRules } from "./rbac/index.ts";

/** By `plural.group`. */
export const groupRules: ReadonlyMap<ResourceName, ResourceRules> = new Map<ResourceName, ResourceRules>([
  ...appsRules,
  ...authenticationRules,
  ...authorizationRules,
  ...batchRules,
  ...rbacRules,
]);
