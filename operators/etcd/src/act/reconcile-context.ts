/** The context of all actions. */
import type { ReconcileResult } from "capstan";
import type { Action } from "../contract.ts";
import type { EtcdClient } from "../etcd/index.ts";
import type { ClusterContext, ClusterObservation } from "../observe/index.ts";
import type { SeedParts } from "../pods/index.ts";

/** One action of the union, by name. */
export type ActionOf<D extends Action["do"]> = Extract<Action, { readonly do: D }>;

/** The context of a reconcile, the observation, and the decided action. */
export type ActionContext<D extends Action["do"] = Action["do"]> = ClusterContext & {
  readonly seen: ClusterObservation;
  readonly action: ActionOf<D>;
};

/** Dependencies of the actions. */
export interface ActionEnvironment {
  /** Parts of the first member's pod that restore the data of a backup. */
  readonly seedParts: (context: ActionContext, member: string, version: string) => SeedParts;
  /**
   * resourceVersions of the password Secrets that were written to each cluster, by its uid. A restart of the operator forgets them and
   * writes the passwords again.
   */
  readonly passwords: Map<string, ReadonlyMap<string, string>>;
}

export type Handler<D extends Action["do"]> = (
  context: ActionContext<D>,
  environment: ActionEnvironment,
) => Promise<ReconcileResult> | ReconcileResult;

/**
 * Runs an operation that pauses members, such as a defragmentation. Two replicas of the operator at once could pause a majority, and etcd
 * does not know which replica is the leader. So the step is recorded in the API server first (fencing): only the leader can do that.
 */
export async function asLeader({ step, seen }: ActionContext, what: string, run: () => Promise<void>): Promise<void> {
  // A step runs once for each input. The time makes every call a new step.
  await step("care", run, { input: { what, at: seen.now } });
}

/** Client for changes of the membership: that of the etcd leader, or else of any voter that responds. */
export function leaderClient({ seen }: Pick<ActionContext, "seen">): EtcdClient {
  const { membership, memberStatuses, clients } = seen;
  const names = membership.members.filter(({ isLearner }) => !isLearner).map(({ member }) => member);
  const leads = (name: string): boolean => {
    const answer = memberStatuses[name];
    return answer?.is === "talking" && answer.leader === answer.id;
  };
  const talking = names.filter((name) => memberStatuses[name]?.is === "talking");
  const client = clients.to(talking.find(leads) ?? talking[0] ?? "");
  if (client === undefined) throw new Error("no member can be reached, although one responded a moment ago");
  return client;
}
