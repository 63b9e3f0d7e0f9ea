/** Switchover: the primary is frozen, the candidate applies everything, then it leads. Thawed only if no other member was appointed. */
import type { Action } from "../cluster/action.ts";
import type { Rules } from "../cluster/observation.ts";
import { withdraw } from "./failover.ts";
import { isFollowing, isServing, isWitness } from "./view.ts";
import type { Member, View } from "./view.ts";

/** A switchover that takes longer is cancelled: clients wait all the time. */
const SWITCHOVER_LIMIT_MS = 20_000;

/** One step of a switchover that has begun. */
export function decideSwitchover<P>(view: View<P>, rules: Rules<P>): Action | undefined {
  const { seen, members, primary } = view;
  const { switchover } = seen.recorded;
  if (switchover === undefined) return undefined;
  const target = members.find(({ name }) => name === switchover.to);
  const problem = whyCancel(view, target);
  if (problem !== undefined || primary?.report === undefined || target?.report === undefined) {
    return { do: "cancel-switchover", why: problem ?? "a member is gone" };
  }
  if (primary.report.acceptsWrites) return { do: "freeze", from: primary.name, to: target.name };
  const isLate = rules.compare(target.report.applied, primary.report.applied) === "behind";
  if (isLate && target.report.isReceiving) {
    return { do: "wait", for: `${target.name} to apply the last writes`, isShort: true };
  }
  return handOverFenced(view, rules, { primary, target, received: target.report.received });
}

interface HandOver<P> {
  readonly primary: Member<P>;
  readonly target: Member<P>;
  readonly received: P;
}

/**
 * Accounts with all rights can write to a frozen primary. So the followers are fenced as in a failover, and the candidate must have all
 * that any of them received: then it has every acknowledged write, and no other can be acknowledged.
 */
function handOverFenced<P>(view: View<P>, { compare }: Rules<P>, { primary, target, received }: HandOver<P>): Action {
  const receiving = view.followers.filter(({ report }) => report?.isReceiving === true).map(({ name }) => name);
  if (receiving.length > 0) return { do: "fence", members: receiving };
  const isBest = view.followers.every(
    ({ report }) => report !== undefined && ["same", "ahead"].includes(compare(received, report.received)),
  );
  if (!isBest) return { do: "cancel-switchover", why: `another replica has writes that ${target.name} does not have` };
  if (target.report !== undefined && compare(target.report.applied, received) === "behind") {
    return { do: "wait", for: `${target.name} to apply what it received`, isShort: true };
  }
  return withdraw(view, primary.name) ?? { do: "appoint", member: target.name, from: primary.name };
}

function whyCancel<P>({ seen, primary, followers }: View<P>, target: Member<P> | undefined): string | undefined {
  const { switchover } = seen.recorded;
  if (primary === undefined || !primary.isOurs) return "the primary does not respond";
  if (target === undefined || !isServing(target) || !isWitness(target)) return `${switchover?.to} is not in sync`;
  if (primary.report?.acceptsWrites === true && !isFollowing(target, primary.name)) {
    return `${target.name} does not replicate from ${primary.name}`;
  }
  const unheard = followers.find(({ isOurs }) => !isOurs);
  if (unheard !== undefined)
    return `${unheard.name} does not respond, and may have writes that ${target.name} does not have`;
  const isLate = seen.now - (switchover?.began ?? seen.now) > SWITCHOVER_LIMIT_MS;
  return isLate ? `${target.name} did not catch up within ${SWITCHOVER_LIMIT_MS / 1000} s` : undefined;
}

/** A switchover that the user requests. */
export function requestedSwitchover<P>(view: View<P>, rules: Rules<P>): Action | undefined {
  const { desired, recorded } = view.seen;
  const { switchover } = desired;
  if (switchover === undefined || switchover.request === recorded.handledRequest) return undefined;
  const candidates = replicasInSync(view, rules);
  const to =
    switchover.to === undefined ? candidates[0]?.name : candidates.find(({ name }) => name === switchover.to)?.name;
  if (to === undefined) {
    return { do: "wait", for: `${switchover.to ?? "a replica"} to be in sync, so that it can become the primary` };
  }
  return { do: "begin-switchover", to, why: "requested", request: switchover.request };
}

/** Replicas that can take over at once, the best first. */
export function replicasInSync<P>({ followers, primary }: View<P>, { compare }: Rules<P>): readonly Member<P>[] {
  if (primary === undefined || !isServing(primary)) return [];
  const ready = followers.filter(
    (member) =>
      member.recorded.state === "Joined" &&
      member.pod?.isReady === true &&
      isServing(member) &&
      isWitness(member) &&
      isFollowing(member, primary.name),
  );
  return ready.toSorted((one, other) => order(compare, one, other));
}

function order<P>(compare: Rules<P>["compare"], { report: one }: Member<P>, { report: other }: Member<P>): number {
  if (one === undefined || other === undefined) return 0;
  const result = compare(one.applied, other.applied);
  return result === "ahead" ? -1 : result === "behind" ? 1 : 0;
}
