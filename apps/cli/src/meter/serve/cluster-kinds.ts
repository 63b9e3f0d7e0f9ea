/** The kinds that authorization needs. */
import type { AnyKind } from "@capstan/client";

export type { KubeObject } from "@capstan/model";

/** What a client needs to know of a kind. */
export type ResourceKind = AnyKind;

/** The kind TokenReview: its status has the user of a token. */
export const TokenReview: AnyKind = {
  group: "authentication.k8s.io",
  version: "v1",
  kind: "TokenReview",
  plural: "tokenreviews",
  scope: "Cluster",
};

/** Says what a user may do. */
export const SubjectAccessReview: AnyKind = {
  group: "authorization.k8s.io",
  version: "v1",
  kind: "SubjectAccessReview",
  plural: "subjectaccessreviews",
  scope: "Cluster",
};

/** Its label names the tenant. */
export const Namespace: AnyKind = {
  group: "",
  version: "v1",
  kind: "Namespace",
  plural: "namespaces",
  scope: "Cluster",
};
