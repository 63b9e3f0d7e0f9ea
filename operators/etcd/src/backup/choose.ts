/** Which member is asked for the snapshot. */
import type { EndpointStatus, EtcdClient } from "../etcd/index.ts";
import { BackupError } from "./errors.ts";

/** A member that answered. */
export interface Candidate {
  readonly client: EtcdClient;
  readonly status: EndpointStatus;
}

/** The one with the highest revision; among equals a follower, because a snapshot costs the member that gives it. */
export function choose(candidates: readonly Candidate[]): Candidate | undefined {
  const able = candidates.filter(({ status }) => !status.isLearner);
  const weight = ({ status }: Candidate): number => (status.leader === status.memberId ? 0 : 1);
  return able.toSorted((a, b) => b.status.revision - a.status.revision || weight(b) - weight(a))[0];
}

/** Asks all members how they are and chooses. */
export async function chooseMember(clients: readonly EtcdClient[], signal?: AbortSignal): Promise<Candidate> {
  const call = signal ? { signal } : {};
  // A linearizable read first: afterwards somebody has everything that was acknowledged before. Without quorum the newest must do.
  await Promise.any(clients.map((client) => client.maintenance.checkHealth(call))).catch(() => {});
  const answers = await Promise.allSettled(
    clients.map(async (client) => ({ client, status: await client.maintenance.status(call) })),
  );
  const chosen = choose(answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : [])));
  if (chosen) return chosen;
  const cause = answers.find((answer) => answer.status === "rejected")?.reason as unknown;
  const why = cause instanceof Error ? `: ${cause.message}` : "";
  throw new BackupError("NoMember", `could not take a snapshot: none of ${clients.length} members answers${why}`, {
    cause,
  });
}
