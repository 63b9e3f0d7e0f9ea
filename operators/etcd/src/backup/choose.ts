/** Which member is asked for the snapshot. */
import type { Alarm, EndpointStatus, EtcdClient } from "../etcd/index.ts";
import { BackupError } from "./errors.ts";

/** A member that answered. */
export interface Candidate {
  readonly client: EtcdClient;
  readonly status: EndpointStatus;
}

/** Whose data may be kept. */
export interface Trusted {
  /** The cluster that is to be backed up, if that is known: a member that wandered in from another one has other data. */
  readonly clusterId?: string | undefined;
  readonly alarms: readonly Alarm[];
  /** Whether a learner is asked where nobody who votes answers: it has all up to some revision, and may be far behind. */
  readonly learners: "never" | "at last";
}

/** The one with the highest revision; among equals a follower, because a snapshot costs the member that gives it. */
export function choose(
  candidates: readonly Candidate[],
  { clusterId, alarms, learners }: Trusted,
): Candidate | undefined {
  const corrupt = new Set(alarms.flatMap(({ kind, memberId }) => (kind === "Corrupt" ? [memberId] : [])));
  const able = candidates.filter(
    ({ status }) => !corrupt.has(status.memberId) && (clusterId === undefined || status.clusterId === clusterId),
  );
  const voters = able.filter(({ status }) => !status.isLearner);
  const asked = learners === "at last" && voters.length === 0 ? able : voters;
  const weight = ({ status }: Candidate): number => (status.leader === status.memberId ? 0 : 1);
  return asked.toSorted((a, b) => b.status.revision - a.status.revision || weight(b) - weight(a))[0];
}

/** Asks all members how they are and chooses. */
export async function chooseMember(
  clients: readonly EtcdClient[],
  { clusterId, learners }: Pick<Trusted, "clusterId" | "learners">,
  signal?: AbortSignal,
): Promise<Candidate> {
  const call = signal ? { signal } : {};
  // A linearizable read first: afterwards somebody has everything that was acknowledged before. Without quorum the newest must do.
  await Promise.any(clients.map((client) => client.maintenance.checkHealth(call))).catch(() => {});
  const memberStatuses = await Promise.allSettled(
    clients.map(async (client) => {
      // Members agree on alarms: without quorum nobody tells them, and there is no better data than what is left.
      const asking = client.maintenance.alarms({ ...call, timeoutMs: 5000 }).catch((): readonly Alarm[] => []);
      const [status, alarms] = await Promise.all([client.maintenance.status(call), asking]);
      return { client, status, alarms };
    }),
  );
  const spoke = memberStatuses.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
  // What a member of another cluster complains of is not about ours.
  const alarms = spoke.filter(({ status }) => (clusterId ?? status.clusterId) === status.clusterId);
  const chosen = choose(spoke, { clusterId, learners, alarms: alarms.flatMap((one) => one.alarms) });
  if (chosen) return chosen;
  throw noMember(memberStatuses, spoke.length);
}

function noMember(memberStatuses: readonly PromiseSettledResult<unknown>[], spoke: number): BackupError {
  const cause = memberStatuses.find((answer) => answer.status === "rejected")?.reason as unknown;
  const why = cause instanceof Error ? `: ${cause.message}` : "";
  const message =
    spoke === 0
      ? `none of ${memberStatuses.length} members answers${why}`
      : `${spoke} of ${memberStatuses.length} members answer, and each is a learner, of another cluster or accused of corrupt data${why}`;
  return new BackupError("NoMember", `could not take a snapshot: ${message}`, { cause });
}
