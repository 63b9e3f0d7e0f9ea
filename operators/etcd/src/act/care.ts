/** What is done for a cluster that is well: room made when it is full or fragmented, one member at a time; users kept. */
import { EtcdError } from "../etcd/index.ts";
import { quotaOf } from "../pods/index.ts";
import { formatTimestamp } from "../timestamp.ts";
import { defragment, defragmentNext } from "./defragment.ts";
import { successorOrder } from "./order.ts";
import { asLeader, spokesman } from "./turn.ts";
import type { Means, Turn } from "./turn.ts";
import { keepUsers } from "./users.ts";

/** Answers whether something was done, so that the next look comes soon. */
export async function care(turn: Turn, means: Means): Promise<boolean> {
  if (await makeRoom(turn)) return true;
  try {
    if (await keepUsers(turn, means)) return true;
  } catch (error) {
    // Users who cannot be made as the spec has them are no reason to let databases grow.
    await defragmentNext(turn);
    throw error;
  }
  return await defragmentNext(turn);
}

/** A full database refuses writes until it has room again and somebody says so: old revisions go, then the freed space, then the alarm. */
async function makeRoom(turn: Turn): Promise<boolean> {
  const { seen, status } = turn;
  const full = seen.hearing.alarms.filter(({ kind }) => kind === "NoSpace");
  if (full.length === 0) {
    status.exhausted = undefined;
    return false;
  }
  const client = spokesman(turn);
  const { revision, dbSizeQuota } = await client.maintenance.status();
  const quota = dbSizeQuota ?? quotaOf(seen.object.spec);
  if (isHopeless(seen.object.status?.exhausted, { revision, quota, now: seen.now })) return false;
  await asLeader(turn, "make room", async () => {
    await client.kv.compact(revision, { physical: true }).catch(ignore("Compacted", "FutureRevision"));
    for (const member of successorOrder(turn.seen)) await defragment(turn, member);
  });
  const after = await client.maintenance.status();
  if (after.dbSize > quota * 0.9) {
    turn.event(
      "Warning",
      "QuotaUsedUp",
      `the database holds ${after.dbSizeInUse} bytes of live data and its quota is ${quota}: delete keys, or raise quota-backend-bytes in spec.options`,
    );
    status.exhausted = { revision, quota, at: formatTimestamp(seen.now) };
    // Everybody has just paused: what else is due has time until the next turn.
    return true;
  }
  status.exhausted = undefined;
  turn.signal.throwIfAborted();
  for (const alarm of full) await client.maintenance.disarm(alarm);
  turn.event("Normal", "RoomMade", "the database was full; old revisions were dropped and it takes writes again");
  return true;
}

/** What was found when room was to be made last and there was none. */
export interface Exhausted {
  readonly revision: number;
  readonly quota: number;
  readonly at: string;
}

/** Everybody pauses for it: it is not done again while nothing was deleted and the quota is the same, nor more often than now and then. */
export function isHopeless(
  former: Exhausted | undefined,
  { revision, quota, now }: { readonly revision: number; readonly quota: number; readonly now: number },
): boolean {
  if (former === undefined) return false;
  const isSame = former.revision === revision && former.quota === quota;
  return now - Date.parse(former.at) < (isSame ? LONG_PAUSE : SHORT_PAUSE);
}

const SHORT_PAUSE = 2 * 60_000;
const LONG_PAUSE = 60 * 60_000;

function ignore(...codes: readonly EtcdError["code"][]): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof EtcdError) || !codes.includes(error.code)) throw error;
  };
}
