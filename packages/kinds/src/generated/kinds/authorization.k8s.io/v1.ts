import type { Kind } from "@capstan/model";
import type * as shapes from "../../shapes/authorization.k8s.io/v1.ts";

export type * from "../../shapes/authorization.k8s.io/v1.ts";

export type LocalSubjectAccessReview = shapes.LocalSubjectAccessReview;
export const LocalSubjectAccessReview: Kind<shapes.LocalSubjectAccessReview, shapes.LocalSubjectAccessReviewApply, "Namespaced"> = /* @__PURE__ */ Object.freeze({"group":"authorization.k8s.io","version":"v1","kind":"LocalSubjectAccessReview","plural":"localsubjectaccessreviews","scope":"Namespaced"} as const);
export type SelfSubjectAccessReview = shapes.SelfSubjectAccessReview;
export const SelfSubjectAccessReview: Kind<shapes.SelfSubjectAccessReview, shapes.SelfSubjectAccessReviewApply, "Cluster"> = /* @__PURE__ */ Object.freeze({"group":"authorization.k8s.io","version":"v1","kind":"SelfSubjectAccessReview","plural":"selfsubjectaccessreviews","scope":"Cluster"} as const);
export type SelfSubjectRulesReview = shapes.SelfSubjectRulesReview;
export const SelfSubjectRulesReview: Kind<shapes.SelfSubjectRulesReview, shapes.SelfSubjectRulesReviewApply, "Cluster"> = /* @__PURE__ */ Object.freeze({"group":"authorization.k8s.io","version":"v1","kind":"SelfSubjectRulesReview","plural":"selfsubjectrulesreviews","scope":"Cluster"} as const);
export type SubjectAccessReview = shapes.SubjectAccessReview;
export const SubjectAccessReview: Kind<shapes.SubjectAccessReview, shapes.SubjectAccessReviewApply, "Cluster"> = /* @__PURE__ */ Object.freeze({"group":"authorization.k8s.io","version":"v1","kind":"SubjectAccessReview","plural":"subjectaccessreviews","scope":"Cluster"} as const);
