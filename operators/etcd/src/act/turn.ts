/** What every action works with. */
import type { ReconcileResult } from "capstan";
import type { Action } from "../contract.ts";
import type { EtcdClient } from "../etcd/index.ts";
import type { ClusterContext, Seen } from "../observe/index.ts";
import type { SeedParts } from "../pods/index.ts";

/** One action of the union, by name. */
export type ActionOf<D extends Action["do"]> = Extract<Action, { readonly do: D }>;

/** The context of a turn, what was seen, and what was decided. */
export type Turn<D extends Action["do"] = Action["do"]> = ClusterContext & {
  readonly seen: Seen;
  readonly action: ActionOf<D>;
};

/** What actions are handed beside the context. */
export interface Means {
  /** What the pod of a first member needs that begins with the data of a backup. */
  readonly seedParts: (turn: Turn, member: string, version: string) => SeedParts;
  /** Which versions of password Secrets each cluster was told of, by its uid. Forgotten with the process: then they are told again. */
  readonly passwords: Map<string, ReadonlyMap<string, string>>;
}

export type Handler<D extends Action["do"]> = (
  turn: Turn<D>,
  means: Means,
) => Promise<ReconcileResult> | ReconcileResult;

/**
 * Does something to members for which they pause, once: two operators at once could stop a majority. etcd does not know which of them leads,
 * the API server does: the step is written down there first, which only the leader can do.
 */
export async function asLeader({ step, seen }: Turn, what: string, run: () => Promise<void>): Promise<void> {
  // What is done again at another time is another step.
  await step("care", run, { input: { what, at: seen.now } });
}

/** A member that answers for all: changes of membership go through it. */
export function spokesman({ seen }: Pick<Turn, "seen">): EtcdClient {
  const { membership, answers, reach } = seen;
  const names = membership.members.filter(({ isLearner }) => !isLearner).map(({ member }) => member);
  const leads = (name: string): boolean => {
    const answer = answers[name];
    return answer?.is === "talking" && answer.leader === answer.id;
  };
  const talking = names.filter((name) => answers[name]?.is === "talking");
  const client = reach.to(talking.find(leads) ?? talking[0] ?? "");
  if (client === undefined) throw new Error("no member can be reached, although one was heard a moment ago");
  return client;
}
