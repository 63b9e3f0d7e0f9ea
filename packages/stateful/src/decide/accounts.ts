/** Accounts on the primary, and replicas that connect with a new password before the one before it is refused. */
import type { Action } from "../cluster/action.ts";
import type { Rules } from "../cluster/observation.ts";
import { replicasInSync } from "./switchover.ts";
import { isFollowing, isServing } from "./view.ts";
import type { View } from "./view.ts";

/** Only a primary that accepts writes can change accounts; replicas get them from it. */
export function keepAccounts<P>({ primary, seen }: View<P>): Action | undefined {
  if (seen.accountsDue === undefined || primary?.report?.acceptsWrites !== true || !isServing(primary))
    return undefined;
  return { do: "keep-accounts", isCheck: seen.accountsDue === "check" };
}

/** One replica after the other, each with the others in sync: writes are acknowledged all the time if there are two replicas. */
export function renewLogin<P>(view: View<P>, rules: Rules<P>): Action | undefined {
  const { primary, followers, seen } = view;
  const { replicationLogin } = seen.desired;
  if (replicationLogin === undefined || primary === undefined) return undefined;
  const next = followers.find(
    (member) => member.recorded.login !== replicationLogin && isFollowing(member, primary.name) && isServing(member),
  );
  if (next === undefined) return undefined;
  const ready = new Set(replicasInSync(view, rules).map(({ name }) => name));
  const others = followers.filter(({ name, recorded }) => name !== next.name && recorded.state === "Joined");
  return others.every(({ name }) => ready.has(name))
    ? { do: "follow", member: next.name, primary: primary.name }
    : undefined;
}
