/** What is done for a cluster that is well: room made when it is full or fragmented, one member at a time. */
import { Secret } from "capstan/kinds/v1";
import { EtcdError, syncAuth } from "../etcd/index.ts";
import { quotaOf } from "../pods/index.ts";
import { formatTimestamp } from "../timestamp.ts";
import { defragment, defragmentNext } from "./defragment.ts";
import { successorOrder } from "./order.ts";
import { asLeader, spokesman } from "./turn.ts";
import type { Means, Turn } from "./turn.ts";

/** Answers whether something was done, so that the next look comes soon. */
export async function care(turn: Turn, means: Means): Promise<boolean> {
  return (await makeRoom(turn)) || (await keepUsers(turn, means)) || (await defragmentNext(turn));
}

/** Users and roles follow the spec; passwords come from Secrets and are written when those change. */
async function keepUsers(turn: Turn, { passwords }: Means): Promise<boolean> {
  const { auth } = turn.seen.object.spec;
  const { uid } = turn.seen.object.metadata;
  if (!auth.enabled && auth.users.length === 0 && auth.roles.length === 0 && !passwords.has(uid)) return false;
  const secretOf = (user: string) => {
    const name = auth.users.find((one) => one.name === user)?.passwordSecret;
    return name === undefined ? undefined : turn.get(Secret, name);
  };
  const versionOf = (user: string): string => secretOf(user)?.metadata.resourceVersion ?? "";
  const known = passwords.get(uid) ?? new Map<string, string>();
  const texts = auth.users.flatMap(({ name }) => {
    const encoded = secretOf(name)?.data?.["password"];
    return encoded === undefined ? [] : [[name, Buffer.from(encoded, "base64").toString()] as const];
  });
  turn.signal.throwIfAborted();
  const done = await syncAuth(spokesman(turn), auth, {
    passwords: new Map(texts),
    isChanged: (user) => known.get(user) !== versionOf(user),
  });
  passwords.set(uid, new Map(auth.users.map(({ name }) => [name, versionOf(name)])));
  if (done.length > 0) turn.event("Normal", "UsersChanged", done.join("; "));
  return done.length > 0;
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
