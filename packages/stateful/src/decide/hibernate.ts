/** Hibernation: with size 0, replicas stop first and the primary last, and all data stays. */
import type { Action } from "../cluster/action.ts";
import type { View } from "./view.ts";

/** Stops one member after the other. The record keeps the primary, so that it starts first again. */
export function decideHibernation<P>({ seen, members }: View<P>): Action | undefined {
  if (seen.desired.size > 0 || seen.recorded.failover !== undefined) return undefined;
  const present = members.filter(({ pod }) => pod !== undefined);
  const [next] = present.toSorted((one, other) => Number(one.isPrimary) - Number(other.isPrimary));
  if (next === undefined) return { do: "rest" };
  if (next.pod?.state === "stopping") return { do: "wait", for: `${next.name} to stop` };
  return { do: "delete-pod", member: next.name, why: "spec.size is 0", isKilled: false };
}
