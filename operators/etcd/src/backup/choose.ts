/** Chooses the member that provides the snapshot. */
import type { Alarm, EndpointStatus, EtcdClient } from "../etcd/index.ts";
import { BackupError } from "capstan/stateful";

/** A member that responded. */
export interface Candidate {
  readonly client: EtcdClient;
  readonly status: EndpointStatus;
}

/** Which members may provide the snapshot. */
export interface Trusted {
  /** The id of the cluster, if known. A member of another cluster has other data. */
  readonly clusterId?: string | undefined;
  readonly alarms: readonly Alarm[];
  /** Whether a learner is asked if no voter responds. A learner has all data up to some revision, but may be far behind. */
  readonly learners: "never" | "at last";
}

/** The member with the highest revision. A follower is preferred, because a snapshot puts load on the member. */
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

/** Asks all members for their status and chooses one. */
export async function chooseMember(
  clients: readonly EtcdClient[],
  { clusterId, learners }: Pick<Trusted, "clusterId" | "learners">,
  signal?: AbortSignal,
): Promise<Candidate> {
  const call = signal ? { signal } : {};
  // After a linearizable read, at least one member has every write acknowledged before. Without quorum, the newest member has to do.
  await Promise.any(clients.map((client) => client.maintenance.checkHealth(call))).catch(() => {});
  const memberStatuses = await Promise.allSettled(
    clients.map(async (client) => {
      // Alarms need a quorum. Without one they cannot be read, and the remaining data is the best there is.
      const asking = client.maintenance.alarms({ ...call, timeoutMs: 5000 }).catch((): readonly Alarm[] => []);
      const [status, alarms] = await Promise.all([client.maintenance.status(call), asking]);
      return { client, status, alarms };
    }),
  );
  const spoke = memberStatuses.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
  // Alarms of a member of another cluster are ignored.
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
