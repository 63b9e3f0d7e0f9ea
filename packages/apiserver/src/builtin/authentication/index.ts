/** The rules of the group authentication.k8s.io: SelfSubjectReview and TokenReview. */
import type { SelfSubjectReview, TokenReview, TokenReviewStatus } from "@capstan/kinds/authentication.k8s.io/v1";
import { apiErrors, type KubeObject } from "@capstan/model";
import type { Access } from "../../access.ts";
import type { Authentication } from "../../authenticate/authenticator.ts";
import { bearerIn } from "../../authenticate/bearer.ts";
import { anonymous, type UserInfo } from "../../authenticate/user.ts";
import type { ResourceName } from "../context.ts";
import type { Draft } from "../draft.ts";
import { isEmpty } from "../meta/checks.ts";
import { defineReview, type ResourceRules } from "../rules.ts";

const selfSubjectReview = defineReview<SelfSubjectReview>({
  serves: "answers",
  answer: (_draft, { user, now }) =>
    ({
      apiVersion: "authentication.k8s.io/v1",
      kind: "SelfSubjectReview",
      metadata: { creationTimestamp: now },
      status: { userInfo: toInfo(user) },
    }) as KubeObject,
});

const tokenReview = defineReview<TokenReview>({
  serves: "answers",
  answer(draft, { access }) {
    const { token, audiences = [] } = draft.spec;
    if (isEmpty(token)) throw apiErrors.badRequest("token is required for TokenReview in authentication");
    const bearer = bearerIn(`Bearer ${token}`);
    const found = bearer.type === "token" ? access.authenticate(bearer.token, audiences) : nobody(access, audiences);
    const status: Draft<TokenReviewStatus> = {};
    if (found.type === "user") {
      status.authenticated = true;
      status.user = toInfo(found.user);
      if (found.audiences !== undefined) status.audiences = [...found.audiences];
    } else {
      status.user = {};
      status.error = found.type === "rejected" ? describe(found.reason) : unknownToken;
    }
    return { ...draft, metadata: draft.metadata ?? {}, status };
  },
});

/** A text that does not form a valid bearer header counts as a request without a token: it authenticates as anonymous. */
function nobody(access: Access, audiences: readonly string[]): Authentication {
  return { type: "user", user: anonymous, audiences: audiences.length === 0 ? access.tokens().audiences : audiences };
}

const unknownToken = "invalid bearer token";

/** kube-apiserver lists one error per authenticator: one gives the reason, the others report an unknown token. */
function describe(reason: string): string {
  return reason === unknownToken ? unknownToken : `[${unknownToken}, ${reason}]`;
}

function toInfo({ name, uid, groups, extra = {} }: UserInfo): NonNullable<Draft<TokenReviewStatus>["user"]> {
  return {
    username: name,
    ...(uid === undefined || uid === "" ? {} : { uid }),
    groups: [...groups],
    ...(Object.keys(extra).length === 0
      ? {}
      : { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])) }),
  };
}

export const authenticationRules: ReadonlyMap<ResourceName, ResourceRules> = new Map<ResourceName, ResourceRules>([
  ["selfsubjectreviews.authentication.k8s.io", selfSubjectReview],
  ["tokenreviews.authentication.k8s.io", tokenReview],
]);
