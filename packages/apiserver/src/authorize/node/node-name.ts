/** The node that a user is: kubelets are `system:node:NAME` in the group `system:nodes`. */
import type { UserInfo } from "../../authenticate/user.ts";

const prefix = "system:node:";

/** The name of the node, empty if the user has none; `undefined` if the user is not a node. */
export function nodeNameOf({ name, groups }: UserInfo): string | undefined {
  if (!name.startsWith(prefix) || !groups.includes("system:nodes")) return undefined;
  return name.slice(prefix.length);
}
