/** The rules of the group rbac.authorization.k8s.io. */
import type { ResourceName } from "../context.ts";
import type { ResourceRules } from "../rules.ts";
import { clusterRoleBinding, roleBinding } from "./binding.ts";
import { clusterRole, role } from "./role.ts";

export const rbacRules: ReadonlyMap<ResourceName, ResourceRules> = new Map<ResourceName, ResourceRules>([
  ["clusterrolebindings.rbac.authorization.k8s.io", clusterRoleBinding],
  ["clusterroles.rbac.authorization.k8s.io", clusterRole],
  ["rolebindings.rbac.authorization.k8s.io", roleBinding],
  ["roles.rbac.authorization.k8s.io", role],
]);
