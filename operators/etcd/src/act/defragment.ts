/**
 * Defragmentation. A member does not serve requests meanwhile, so members are defragmented one at a time, followers first, the leader
 * last.
 */
import { parseCron } from "capstan";
import { formatTimestamp } from "../timestamp.ts";
import { successorOrder } from "./member-order.ts";
import { asLeader } from "./reconcile-context.ts";
import type { ActionContext } from "./reconcile-context.ts";

/** Returns whether a member was defragmented. */
export async function defragmentNext(context: ActionContext): Promise<boolean> {
  return (await defragmentBySchedule(context)) || (await defragmentByShare(context));
}

/** Called within a step, which only the elected leader can begin. */
export async function defragment({ seen, signal }: ActionContext, member: string): Promise<void> {
  signal.throwIfAborted();
  await seen.clients.to(member)?.maintenance.defragment({ timeoutMs: defragmentTimeout });
}

/** Defragments one member of the round that is due. The status lists the remaining members, so that an interrupted round continues. */
async function defragmentBySchedule(context: ActionContext): Promise<boolean> {
  const { seen, status, event } = context;
  const { metadata, spec, status: written } = seen.object;
  const round = dueRound({
    schedule: spec.maintenance.defragment.schedule,
    now: seen.now,
    created: Date.parse(metadata.creationTimestamp ?? ""),
    former: written?.defragmentation,
    members: successorOrder(seen),
  });
  const [next, ...left] = round?.left ?? [];
  if (round === undefined || next === undefined) return false;
  await asLeader(context, `defragment ${next}`, () => defragment(context, next));
  status.defragmentation = { began: round.began, left };
  event("Normal", "Defragmented", `${next} was defragmented, as the schedule has it`);
  return true;
}

/** A round over all members: its start, and the members that remain. */
export interface Round {
  readonly began: string;
  readonly left: readonly string[];
}

/** What the next round depends on. */
export interface RoundFacts {
  readonly schedule: string | undefined;
  readonly now: number;
  /** Creation time of the cluster: the first round is due after it. */
  readonly created: number;
  readonly former: Round | undefined;
  /** In the order in which they are defragmented. */
  readonly members: readonly string[];
}

/** The round that is in progress or has become due. */
export function dueRound({ schedule, now, created, former, members }: RoundFacts): Round | undefined {
  const times = schedule === undefined ? undefined : parseCron(schedule);
  if (times === undefined) return undefined;
  const left = members.filter((member) => former?.left.includes(member) === true);
  if (former !== undefined && left.length > 0) return { began: former.began, left };
  const due = times.next(former === undefined ? created : Date.parse(former.began));
  if (due === undefined || now < due) return undefined;
  return { began: formatTimestamp(now), left: members };
}

/** Defragments one member if its database could shrink by the share in the spec. */
async function defragmentByShare(context: ActionContext): Promise<boolean> {
  const { whenFreeable } = context.seen.object.spec.maintenance.defragment;
  const next = successorOrder(context.seen).find((member) => freeableShare(context, member) >= whenFreeable / 100);
  if (next === undefined) return false;
  await asLeader(context, `defragment ${next}`, () => defragment(context, next));
  context.event("Normal", "Defragmented", `${next} was defragmented`);
  return true;
}

function freeableShare({ seen }: ActionContext, member: string): number {
  const answer = seen.memberStatuses[member];
  if (answer?.is !== "talking" || answer.dbBytes < minDatabaseBytes) return 0;
  return 1 - answer.dbBytesInUse / answer.dbBytes;
}

/** A smaller database is not worth the pause. */
const minDatabaseBytes = 100 * 2 ** 20;
const defragmentTimeout = 120_000;
