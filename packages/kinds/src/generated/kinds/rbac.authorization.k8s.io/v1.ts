import type { Kind } from "@capstan/model";
import type * as shapes from "../../shapes/rbac.authorization.k8s.io/v1.ts";

export type * from "../../shapes/rbac.authorization.k8s.io/v1.ts";

export type ClusterRoleBinding = shapes.ClusterRoleBinding;
export const ClusterRoleBinding: Kind<shapes.ClusterRoleBinding, shapes.ClusterRoleBindingApply, "Cluster"> = /* @__PURE__ */ Object.freeze({"group":"rbac.authorization.k8s.io","version":"v1","kind":"ClusterRoleBinding","plural":"clusterrolebindings","scope":"Cluster"} as const);
export type ClusterRole = shapes.ClusterRole;
export const ClusterRole: Kind<shapes.ClusterRole, shapes.ClusterRoleApply, "Cluster"> = /* @__PURE__ */ Object.freeze({"group":"rbac.authorization.k8s.io","version":"v1","kind":"ClusterRole","plural":"clusterroles","scope":"Cluster"} as const);
export type RoleBinding = shapes.RoleBinding;
export const RoleBinding: Kind<shapes.RoleBinding, shapes.RoleBindingApply, "Namespaced"> = /* @__PURE__ */ Object.freeze({"group":"rbac.authorization.k8s.io","version":"v1","kind":"RoleBinding","plural":"rolebindings","scope":"Namespaced"} as const);
export type Role = shapes.Role;
export const Role: Kind<shapes.Role, shapes.RoleApply, "Namespaced"> = /* @__PURE__ */ Object.freeze({"group":"rbac.authorization.k8s.io","version":"v1","kind":"Role","plural":"roles","scope":"Namespaced"} as const);
