/** What every action works with. */
import type { ReconcileResult } from "capstan";
import type { Action } from "../contract.ts";
import type { EtcdClient } from "../etcd/index.ts";
import type { ClusterContext, ClusterObservation } from "../observe/index.ts";
import type { SeedParts } from "../pods/index.ts";

/** One action of the union, by name. */
export type ActionOf<D extends Action["do"]> = Extract<Action, { readonly do: D }>;

/** The context of a turn, what was seen, and what was decided. */
export type ActionContext<D extends Action["do"] = Action["do"]> = ClusterContext & {
  readonly seen: ClusterObservation;
  readonly action: ActionOf<D>;
};

/** What actions are handed beside the context. */
export interface ActionEnvironment {
  /** What the pod of a first member needs that begins with the data of a backup. */
  readonly seedParts: (context: ActionContext, member: string, version: string) => SeedParts;
  /** Which versions of password Secrets each cluster was told of, by its uid. Forgotten with the process: then they are told again. */
  readonly passwords: Map<string, ReadonlyMap<string, string>>;
}

export type Handler<D extends Action["do"]> = (
  context: ActionContext<D>,
  environment: ActionEnvironment,
) => Promise<ReconcileResult> | ReconcileResult;

/**
 * Does something to members for which they pause, once: two operators at once could stop a majority. etcd does not know which of them leads,
 * the API server does: the step is written down there first, which only the leader can do.
 */
export async function asLeader({ step, seen }: ActionContext, what: string, run: () => Promise<void>): Promise<void> {
  // What is done again at another time is another step.
  await step("care", run, { input: { what, at: seen.now } });
}

/** A member that answers for all: changes of membership go through it. */
export function leaderClient({ seen }: Pick<ActionContext, "seen">): EtcdClient {
  const { membership, memberStatuses, clients } = seen;
  const names = membership.members.filter(({ isLearner }) => !isLearner).map(({ member }) => member);
  const leads = (name: string): boolean => {
    const answer = memberStatuses[name];
    return answer?.is === "talking" && answer.leader === answer.id;
  };
  const talking = names.filter((name) => memberStatuses[name]?.is === "talking");
  const client = clients.to(talking.find(leads) ?? talking[0] ?? "");
  if (client === undefined) throw new Error("no member can be reached, although one was heard a moment ago");
  return client;
}
