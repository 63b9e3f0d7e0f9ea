/** Fills aggregated ClusterRoles with the rules of every role that their selectors match. */
import { ClusterRole } from "@capstan/kinds/rbac.authorization.k8s.io/v1";
import { fromLabelSelectorObject, isDeepEqual, matchesLabels } from "@capstan/model";
import { controller } from "@capstan/runtime";
import type { Controller } from "@capstan/runtime";
import { labelQuery } from "../ownership/label-query.ts";
import { FIELD_MANAGER } from "../controller/context.ts";
import type { ControllerContext } from "../controller/context.ts";

type PolicyRule = NonNullable<ClusterRole["rules"]>[number];

/** The rules of the roles without duplicates, in the order of the roles' names. */
export function gatherRules(roles: readonly ClusterRole[]): readonly PolicyRule[] {
  const rules: PolicyRule[] = [];
  for (const role of [...roles].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))) {
    for (const rule of role.rules ?? []) if (!rules.some((known) => isDeepEqual(known, rule))) rules.push(rule);
  }
  return rules;
}

/** The controller of aggregated ClusterRoles. */
export function clusterRoleController({ client }: ControllerContext): Controller {
  return controller(
    ClusterRole,
    { name: "clusterrole-aggregation", reads: [ClusterRole] },
    async ({ object: role, find, signal }) => {
      const selectors = role.aggregationRule?.clusterRoleSelectors;
      if (selectors === undefined) return;
      const found = new Map<string, ClusterRole>();
      for (const selector of selectors) {
        const matching = fromLabelSelectorObject(selector);
        for (const one of find(ClusterRole, { labels: labelQuery(selector) })) {
          const isOther = one.metadata.name !== role.metadata.name;
          if (isOther && matchesLabels(matching, one.metadata.labels)) found.set(one.metadata.name, one);
        }
      }
      const rules = gatherRules([...found.values()]);
      if (isDeepEqual(rules, role.rules ?? [])) return;
      const { name, resourceVersion } = role.metadata;
      const merge = { metadata: { resourceVersion }, rules };
      await client.patch(ClusterRole, { name }, { merge }, { fieldManager: FIELD_MANAGER, signal });
    },
  );
}
