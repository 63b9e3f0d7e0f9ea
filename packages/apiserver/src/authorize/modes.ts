/** The authorizers of a server, by the mode that its options name. */
import type { Lookup } from "../builtin/context.ts";
import { alwaysAllow, authorizeWith, mastersAuthorizer, type Authorizer } from "./authorizer.ts";
import { nodeAuthorizer } from "./node/node-authorizer.ts";
import { rbacAuthorizer } from "./rbac/authorizer.ts";

/** Which authorizers decide. */
export type AuthorizationMode = "node-and-rbac" | "rbac" | "always-allow";

export function authorizerOf(mode: AuthorizationMode, lookup: Lookup): Authorizer {
  switch (mode) {
    case "always-allow":
      return alwaysAllow;
    case "rbac":
      return authorizeWith([mastersAuthorizer, rbacAuthorizer(lookup)], mode);
    case "node-and-rbac":
      return authorizeWith([mastersAuthorizer, nodeAuthorizer(lookup), rbacAuthorizer(lookup)], mode);
  }
}

/** The value of the flag `authorization-mode` of kube-apiserver that stands for an authorizer. */
export function modeFlagOf({ name }: Authorizer): string {
  switch (name) {
    case "always-allow":
      return "[AlwaysAllow]";
    case "rbac":
      return "[RBAC]";
    default:
      return "[Node,RBAC]";
  }
}
