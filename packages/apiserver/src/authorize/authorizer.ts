/** Decides whether a user may do what a request asks. */
import type { UserInfo } from "../authenticate/user.ts";

/** What is asked: a verb on a resource, or on a path that is no resource. */
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

/** A verb (the method in lower case) on a path that is no resource. */
export interface PathAccess {
  readonly type: "path";
  readonly user: UserInfo;
  readonly verb: string;
  readonly path: string;
}

/** What an authorizer answers; `NoOpinion` of all means no. */
export interface Decision {
  readonly verdict: "Allow" | "Deny" | "NoOpinion";
  readonly reason: string;
}

/** One way to decide. */
export interface Authorizer {
  readonly name: string;
  authorize(attributes: AccessAttributes): Decision | Promise<Decision>;
}

/** Asks each authorizer in order until one allows or denies. */
export function authorizeWith(authorizers: readonly Authorizer[]): Authorizer {
  return {
    name: "union",
    authorize: (attributes) => askFrom(authorizers, 0, { attributes, reasons: [] }),
  };
}

interface Asking {
  readonly attributes: AccessAttributes;
  readonly reasons: string[];
}

/** Waits only where an authorizer does: most decide at once, and expressions can only ask those. */
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

/** Everybody may do everything: for servers that are asked not to authorise. */
export const alwaysAllow: Authorizer = {
  name: "always-allow",
  authorize: () => ({ verdict: "Allow", reason: "" }),
};
