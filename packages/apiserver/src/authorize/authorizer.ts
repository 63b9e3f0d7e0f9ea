/** Decides whether a user may do what a request asks. */
import type { UserInfo } from "../authenticate/user.ts";

/** A verb on a resource, or on a non-resource path. */
export type AccessAttributes = ResourceAccess | PathAccess;

/** A verb on a resource. */
export interface ResourceAccess {
  readonly type: "resource";
  readonly user: UserInfo;
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** The raw selectors of a list, watch or deletecollection. */
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

/** A verb (the method in lower case) on a non-resource path. */
export interface PathAccess {
  readonly type: "path";
  readonly user: UserInfo;
  readonly verb: string;
  readonly path: string;
}

/** The decision of an authorizer. If all have `NoOpinion`, the request is denied. */
export interface Decision {
  readonly verdict: "Allow" | "Deny" | "NoOpinion";
  readonly reason: string;
}

/** One authorizer, such as RBAC. */
export interface Authorizer {
  readonly name: string;
  authorize(attributes: AccessAttributes): Decision | Promise<Decision>;
  /** Why reviews cannot list all rules of a user, for an authorizer whose decisions depend on objects. */
  unlistedRules?(user: UserInfo): string | undefined;
}

/** Runs the authorizers in order until one allows or denies. */
export function authorizeWith(authorizers: readonly Authorizer[], name = "union"): Authorizer {
  return {
    name,
    unlistedRules: (user) =>
      authorizers.map((one) => one.unlistedRules?.(user)).find((problem) => problem !== undefined),
    authorize: (attributes) => askFrom(authorizers, 0, { attributes, reasons: [] }),
  };
}

interface Asking {
  readonly attributes: AccessAttributes;
  readonly reasons: string[];
}

/** Returns a promise only if an authorizer does: CEL expressions can use synchronous authorizers only. */
function askFrom(authorizers: readonly Authorizer[], index: number, asking: Asking): Decision | Promise<Decision> {
  const one = authorizers[index];
  if (one === undefined) return { verdict: "NoOpinion", reason: asking.reasons.join("\n") };
  const goOn = (decision: Decision): Decision | Promise<Decision> => {
    if (decision.verdict !== "NoOpinion") return decision;
    if (decision.reason !== "") asking.reasons.push(decision.reason);
    return askFrom(authorizers, index + 1, asking);
  };
  const decision = one.authorize(asking.attributes);
  return decision instanceof Promise ? decision.then(goOn) : goOn(decision);
}

/** Members of `system:masters` may do everything. */
export const mastersAuthorizer: Authorizer = {
  name: "masters",
  authorize: ({ user }) =>
    user.groups.includes("system:masters") ? { verdict: "Allow", reason: "" } : { verdict: "NoOpinion", reason: "" },
};

/** Allows every request: for servers with authorization turned off. */
export const alwaysAllow: Authorizer = {
  name: "always-allow",
  authorize: () => ({ verdict: "Allow", reason: "" }),
};
