/** Maintenance of a healthy cluster: reclaims space of a full or fragmented database, one member at a time, and synchronizes users. */
import { EtcdError } from "../etcd/index.ts";
import { quotaOf } from "../pods/index.ts";
import { formatTimestamp } from "../timestamp.ts";
import { defragment, defragmentNext } from "./defragment.ts";
import { successorOrder } from "./member-order.ts";
import { asLeader, leaderClient } from "./reconcile-context.ts";
import type { ActionEnvironment, ActionContext } from "./reconcile-context.ts";
import { syncUsers } from "./auth-users.ts";

/** Returns whether something was done, so that the next reconcile comes soon. */
export async function maintain(context: ActionContext, environment: ActionEnvironment): Promise<boolean> {
  if (await reclaimSpace(context)) return true;
  try {
    if (await syncUsers(context, environment)) return true;
  } catch (error) {
    // An error of the users must not stop defragmentation.
    await defragmentNext(context);
    throw error;
  }
  return await defragmentNext(context);
}

/** A full database rejects writes until space is reclaimed and the alarm is disarmed: compact, defragment, disarm. */
async function reclaimSpace(context: ActionContext): Promise<boolean> {
  const { seen, status } = context;
  const full = seen.report.alarms.filter(({ kind }) => kind === "NoSpace");
  if (full.length === 0) {
    status.exhausted = undefined;
    return false;
  }
  const client = leaderClient(context);
  const { revision, dbSizeQuota } = await client.maintenance.status();
  const quota = dbSizeQuota ?? quotaOf(seen.object.spec);
  if (isDefragmentUseless(seen.object.status?.exhausted, { revision, quota, now: seen.now })) return false;
  await asLeader(context, "make room", async () => {
    await client.kv.compact(revision, { physical: true }).catch(ignore("Compacted", "FutureRevision"));
    for (const member of successorOrder(context.seen)) await defragment(context, member);
  });
  const after = await client.maintenance.status();
  if (after.dbSize > quota * 0.9) {
    context.event(
      "Warning",
      "QuotaExceeded",
      `the database holds ${after.dbSizeInUse} bytes of live data and its quota is ${quota}: delete keys, or raise quota-backend-bytes in spec.options`,
    );
    status.exhausted = { revision, quota, at: formatTimestamp(seen.now) };
    // All members have just paused. Other maintenance waits for the next reconcile.
    return true;
  }
  status.exhausted = undefined;
  context.signal.throwIfAborted();
  for (const alarm of full) await client.maintenance.disarm(alarm);
  context.event(
    "Normal",
    "SpaceReclaimed",
    "the database was full; old revisions were dropped and it takes writes again",
  );
  return true;
}

/** The state of the last attempt that reclaimed too little space. */
export interface DefragmentAttempt {
  readonly revision: number;
  readonly quota: number;
  readonly at: string;
}

/** An attempt pauses all members. It is repeated only after a write or a change of the quota, and after a minimum interval. */
export function isDefragmentUseless(
  former: DefragmentAttempt | undefined,
  { revision, quota, now }: { readonly revision: number; readonly quota: number; readonly now: number },
): boolean {
  if (former === undefined) return false;
  const isSame = former.revision === revision && former.quota === quota;
  return now - Date.parse(former.at) < (isSame ? longPause : shortPause);
}

const shortPause = 2 * 60_000;
const longPause = 60 * 60_000;

function ignore(...codes: readonly EtcdError["code"][]): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof EtcdError) || !codes.includes(error.code)) throw error;
  };
}
