/** Authorizes requests with the cluster: TokenReview and SubjectAccessReview. */
import type { AnyKind, Api } from "../api.ts";
import type { Clock } from "../clock.ts";
import { pathnameOf } from "./endpoints.ts";
import type { Guard } from "./endpoints.ts";

const TokenReview: AnyKind = {
  group: "authentication.k8s.io",
  version: "v1",
  kind: "TokenReview",
  plural: "tokenreviews",
  scope: "Cluster",
};
const SubjectAccessReview: AnyKind = {
  group: "authorization.k8s.io",
  version: "v1",
  kind: "SubjectAccessReview",
  plural: "subjectaccessreviews",
  scope: "Cluster",
};

interface Review {
  readonly status?: {
    readonly authenticated?: boolean;
    readonly allowed?: boolean;
    readonly user?: { readonly username?: string; readonly groups?: readonly string[]; readonly uid?: string };
  };
}

/** How long a result is cached. */
const ANSWER_HOLDS = 60_000;
const ANSWERS_KEPT = 1_000;

/** Allows every request. */
export const openGuard: Guard = () => Promise.resolve("allowed");

/** A guard that asks the API server, as controller-runtime's does. */
export function clusterGuard(api: Api, clock: Clock): Guard {
  const answers = new Map<string, { readonly answer: Awaited<ReturnType<Guard>>; readonly until: number }>();
  return async ({ authorization, path: asked, method }) => {
    // RBAC rules name paths without a query, such as that of /metrics?name[]=up.
    const path = pathnameOf(asked);
    const token = /^Bearer (.+)$/iu.exec(authorization ?? "")?.[1];
    if (token === undefined) return "unknown";
    const id = `${method} ${path} ${token}`;
    const known = answers.get(id);
    if (known !== undefined && clock.now() < known.until) return known.answer;
    const answer = await ask(api, { token, path, verb: method.toLowerCase() });
    if (answers.size >= ANSWERS_KEPT) answers.clear();
    answers.set(id, { answer, until: clock.now() + ANSWER_HOLDS });
    return answer;
  };
}

async function ask(
  api: Api,
  { token, path, verb }: { token: string; path: string; verb: string },
): Promise<Awaited<ReturnType<Guard>>> {
  const { user, authenticated } = (await review(api, TokenReview, { token })).status ?? {};
  if (authenticated !== true || user === undefined) return "unknown";
  const spec = { user: user.username, groups: user.groups, uid: user.uid, nonResourceAttributes: { path, verb } };
  return (await review(api, SubjectAccessReview, spec)).status?.allowed === true ? "allowed" : "forbidden";
}

async function review(api: Api, kind: AnyKind, spec: object): Promise<Review> {
  const object = { apiVersion: `${kind.group}/${kind.version}`, kind: kind.kind, metadata: {}, spec };
  // The response has the form of a review.
  return (await api.create(kind, object, { manager: "capstan" })) as Review;
}
