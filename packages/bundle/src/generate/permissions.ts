/** The permissions of a ClusterServiceVersion: the rules of all roles that are bound to an account of the operator. */
import type { Json } from "@capstan/model";
import { compareText, isObject, type JsonObject } from "../decode/json.ts";
import { textAt } from "../read/object.ts";
import { type Collected, listAt, type Manifest, nameOf, specOf } from "./manifest.ts";

/** Permissions, and the objects that say nothing beyond them. */
export interface Permissions {
  readonly permissions: readonly JsonObject[];
  readonly clusterPermissions: readonly JsonObject[];
  /** Objects that stay separate manifests. */
  readonly rest: readonly Manifest[];
}

/** Works out the permissions of the accounts that deployments use, and of those named besides. */
export function permissionsOf(collected: Collected, extraAccounts: readonly string[] = []): Permissions {
  const accounts = new Set([...collected.deployments.map(accountOf), ...extraAccounts]);
  const { roles, clusterRoles, roleBindings, clusterRoleBindings } = collected;
  const used = new Set<Manifest>();
  const grants = (bindings: readonly Manifest[], of: (binding: Manifest) => Manifest | undefined): JsonObject[] => {
    const rules = new Map<string, Json[]>();
    for (const binding of bindings) {
      const role = of(binding);
      const bound = listAt(binding, "subjects").filter(
        (subject) => subject["kind"] === "ServiceAccount" && accounts.has(textAt(subject, "name")),
      );
      if (role === undefined || bound.length === 0) continue;
      used.add(role).add(binding);
      for (const account of bound.map((subject) => textAt(subject, "name")))
        rules.set(account, [...(rules.get(account) ?? []), ...listAt(role, "rules")]);
    }
    return [...rules]
      .filter(([, list]) => list.length > 0)
      .sort(([a], [b]) => compareText(a, b))
      .map(([serviceAccountName, list]) => ({ rules: list, serviceAccountName }));
  };
  const find = (list: readonly Manifest[], binding: Manifest): Manifest | undefined =>
    list.find((role) => nameOf(role) === textAt(binding, "roleRef", "name"));
  const permissions = grants(roleBindings, (binding) =>
    find(textAt(binding, "roleRef", "kind") === "Role" ? roles : clusterRoles, binding),
  );
  const clusterPermissions = grants(clusterRoleBindings, (binding) => find(clusterRoles, binding));
  const rest = [...collected.accounts, ...roles, ...clusterRoles, ...roleBindings, ...clusterRoleBindings].filter(
    (object) => !used.has(object) && !(object["kind"] === "ServiceAccount" && accounts.has(nameOf(object))),
  );
  return { permissions, clusterPermissions, rest };
}

/** The account of a deployment's pods. */
function accountOf(deployment: Manifest): string {
  const template = specOf(deployment)["template"];
  const name = isObject(template) ? textAt(template, "spec", "serviceAccountName") : "";
  return name === "" ? "default" : name;
}
