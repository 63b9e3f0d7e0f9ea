/** The rules of the group authorization.k8s.io. */
import type { ResourceName } from "../context.ts";
import type { ResourceRules } from "../rules.ts";
import { localSubjectAccessReview, selfSubjectAccessReview, subjectAccessReview } from "./access-review.ts";
import { selfSubjectRulesReview } from "./rules-review.ts";

export const authorizationRules: ReadonlyMap<ResourceName, ResourceRules> = new Map<ResourceName, ResourceRules>([
  ["localsubjectaccessreviews.authorization.k8s.io", localSubjectAccessReview],
  ["selfsubjectaccessreviews.authorization.k8s.io", selfSubjectAccessReview],
  ["selfsubjectrulesreviews.authorization.k8s.io", selfSubjectRulesReview],
  ["subjectaccessreviews.authorization.k8s.io", subjectAccessReview],
]);
