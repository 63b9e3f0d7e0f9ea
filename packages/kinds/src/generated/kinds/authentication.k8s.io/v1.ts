import type { Kind } from "@capstan/model";
import type * as shapes from "../../shapes/authentication.k8s.io/v1.ts";

export type * from "../../shapes/authentication.k8s.io/v1.ts";

export type SelfSubjectReview = shapes.SelfSubjectReview;
export const SelfSubjectReview: Kind<shapes.SelfSubjectReview, shapes.SelfSubjectReviewApply, "Cluster"> = /* @__PURE__ */ Object.freeze({"group":"authentication.k8s.io","version":"v1","kind":"SelfSubjectReview","plural":"selfsubjectreviews","scope":"Cluster"} as const);
export type TokenReview = shapes.TokenReview;
export const TokenReview: Kind<shapes.TokenReview, shapes.TokenReviewApply, "Cluster"> = /* @__PURE__ */ Object.freeze({"group":"authentication.k8s.io","version":"v1","kind":"TokenReview","plural":"tokenreviews","scope":"Cluster"} as const);
