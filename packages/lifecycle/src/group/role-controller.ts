/** Removes the roles for the users of an OperatorGroup when the group is gone. They are cluster-scoped, so no owner reference does it. */
import { ClusterRole } from "@capstan/kinds/rbac.authorization.k8s.io/v1";
import type { Controller } from "@capstan/runtime";
import { OperatorGroup } from "../kinds/operator-group.ts";
import { defineSync } from "../manager/define.ts";
import type { ManagerSetting } from "../manager/setting.ts";

/** The controller. */
export function groupRoleController({ cluster }: ManagerSetting): Controller {
  return defineSync({
    name: "operatorgroup-role",
    kind: ClusterRole,
    sync: async ({ object: { metadata }, get }) => {
      const { labels = {}, name, uid } = metadata;
      if (labels["olm.owner.kind"] !== OperatorGroup.kind) return undefined;
      const key = { namespace: labels["olm.owner.namespace"] ?? "", name: labels["olm.owner"] ?? "" };
      // The cache may be older than the role: only the server knows that the group is gone.
      if (get(OperatorGroup, key) !== undefined || (await cluster.get(OperatorGroup, key)) !== undefined)
        return undefined;
      await cluster.remove(ClusterRole, { namespace: "", name, uid });
      return undefined;
    },
  });
}
