/** SelfSubjectRulesReview: all rules that apply to the user in a namespace. */
import type { SelfSubjectRulesReview } from "@capstan/kinds/authorization.k8s.io/v1";
import { apiErrors, type KubeObject } from "@capstan/model";
import { rulesFor } from "../../authorize/rbac/bindings.ts";
import type { PolicyRule } from "../../authorize/rbac/policy-rule.ts";
import { aggregateText } from "../../go-aggregate.ts";
import type { RuleContext } from "../context.ts";
import { defineReview, type ReviewRules } from "../rules.ts";

export const selfSubjectRulesReview: ReviewRules<SelfSubjectRulesReview> = defineReview<SelfSubjectRulesReview>({
  serves: "answers",
  answer({ spec }, context) {
    const { namespace = "" } = spec;
    if (namespace === "") throw apiErrors.badRequest("no namespace on request");
    const [rules, missing] = collect(namespace, context);
    const unlisted = context.access.authorizer.unlistedRules?.(context.user);
    const problems = [...(unlisted === undefined ? [] : [unlisted]), ...missing];
    return {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectRulesReview",
      metadata: {},
      spec: {},
      status: {
        resourceRules: rules.filter(({ resources = [] }) => resources.length > 0).map(toResourceRule),
        nonResourceRules: rules.filter(({ nonResourceURLs = [] }) => nonResourceURLs.length > 0).map(toPathRule),
        incomplete: unlisted !== undefined,
        ...(problems.length === 0 ? {} : { evaluationError: aggregateText(problems) }),
      },
    } as KubeObject;
  },
});

/** The rules that a server with the always-allow authorizer reports. */
const everything: readonly PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

function collect(
  namespace: string,
  { user, access, lookup }: RuleContext,
): [rules: readonly PolicyRule[], problems: readonly string[]] {
  if (access.authorizer.name === "always-allow") return [everything, []];
  const rules: PolicyRule[] = [];
  const problems = new Set<string>();
  for (const bound of rulesFor(user, namespace, lookup)) {
    if (bound.type === "rule") rules.push(bound.rule);
    else problems.add(bound.problem);
  }
  return [rules, [...problems]];
}

function toResourceRule({ verbs, apiGroups, resources, resourceNames }: PolicyRule): object {
  return { verbs, apiGroups, resources, ...(resourceNames === undefined ? {} : { resourceNames }) };
}

function toPathRule({ verbs, nonResourceURLs }: PolicyRule): object {
  return { verbs, nonResourceURLs };
}
