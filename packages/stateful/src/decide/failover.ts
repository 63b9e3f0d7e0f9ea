/**
 * Failover: the acknowledgements are taken away from the old primary before another member leads. A follower that stopped receiving
 * acknowledges nothing, so the old primary completes no write, wherever it runs and whether it can be reached.
 */
import { fencedFollowersNeeded } from "../application.ts";
import type { Action } from "../cluster/action.ts";
import type { Rules } from "../cluster/observation.ts";
import { first, isDataLost, keepPod } from "./members.ts";
import { isWitness } from "./view.ts";
import type { Member, View } from "./view.ts";

/** Begins a failover if the primary is lost. */
export function suspectPrimary<P>(view: View<P>): Action | undefined {
  const { primary, seen } = view;
  if (primary === undefined) return undefined;
  const isForeign = primary.report !== undefined && !primary.isOurs;
  // The data of the first member is created with its identity, so a server with another one found its volume in use.
  if (!seen.recorded.isCreated) return isForeign ? refuseForeign(primary) : undefined;
  const why = whyLost(view, primary);
  if (why === undefined) {
    if (isIsolated(view)) return leaveIsolated(view, primary);
    return isForeign ? refuseForeign(primary) : undefined;
  }
  const candidates = view.followers.filter((member) => !isDataLost(view, member));
  if (candidates.length === 0) return refuseWithoutFollowers(view, primary, why);
  if (seen.desired.failoverMode === "Manual") {
    return {
      do: "refuse",
      reason: "PrimaryLost",
      why: `${why}, and spec.failover.mode is Manual: set it to Safe to promote another member`,
    };
  }
  return { do: "begin-failover", from: primary.name, why };
}

function refuseWithoutFollowers<P>(view: View<P>, primary: Member<P>, why: string): Action | undefined {
  if (!isDataLost(view, primary)) return undefined;
  const reason = `${why}, and no other member has the data: restore a backup into a new cluster`;
  return { do: "refuse", reason: "NoData", why: reason };
}

/**
 * The primary responds to the operator, but its followers do not reach it, so no write completes. With two followers or more, one of them
 * can lead and the others acknowledge.
 */
function isIsolated<P>({ seen, followers, primary }: View<P>): boolean {
  const { desired, isolatedForMs, recorded } = seen;
  if (desired.failoverMode === "Manual" || recorded.acknowledgements === 0 || primary?.isOurs !== true) return false;
  return (
    followers.length > 1 &&
    followers.every((member) => isWitness(member)) &&
    isolatedForMs >= ISOLATION_FACTOR * desired.failoverAfter
  );
}

/** A follower takes a moment to connect, so isolation has to last longer than silence. */
const ISOLATION_FACTOR = 2;

function leaveIsolated<P>({ seen }: View<P>, { name }: Member<P>): Action {
  const seconds = Math.round(seen.isolatedForMs / 1_000);
  const why = `no follower has reached ${name} for ${seconds} s, so no write completes`;
  return { do: "begin-failover", from: name, why, isIsolated: true };
}

function whyLost<P>(view: View<P>, primary: Member<P>): string | undefined {
  const { name, silentForMs, pod } = primary;
  if (isDataLost(view, primary)) return `the data of ${name} is lost`;
  if (primary.report !== undefined) return undefined;
  if (pod === undefined || silentForMs < view.seen.desired.failoverAfter) return undefined;
  return `${name} has not responded for ${Math.round(silentForMs / 1000)} s`;
}

function refuseForeign<P>({ name, report }: Member<P>): Action {
  const why = `${name} has the data of ${report?.lineage ?? "no cluster"}, not of this one: give it its own volume back, or an empty one if it never had data`;
  return { do: "refuse", reason: "ForeignData", why };
}

/** One step of a failover that has begun. */
export function decideFailover<P>(view: View<P>, rules: Rules<P>): Action | undefined {
  const { seen, members } = view;
  const { failover } = seen.recorded;
  if (failover === undefined) return undefined;
  const old = members.find(({ name }) => name === failover.from);
  const isBack = old !== undefined && old.isOurs && old.report?.acceptsWrites === true && !isDataLost(view, old);
  if (isBack && failover.isIsolated !== true) {
    return { do: "cancel-failover", why: `${old.name} responds again` };
  }
  const followers = view.followers;
  const receiving = followers.filter(({ report }) => report?.isReceiving === true).map(({ name }) => name);
  if (receiving.length > 0) return { do: "fence", members: receiving };
  // The old primary starts again, too: if it serves before another member is appointed, the failover is cancelled.
  return first(members, (member) => keepPod(view, member)) ?? choose(view, rules, followers);
}

/** All followers that respond are fenced. */
function choose<P>(view: View<P>, rules: Rules<P>, followers: readonly Member<P>[]): Action {
  const { recorded, desired, now } = view.seen;
  const needed = fencedFollowersNeeded(followers.length, recorded.acknowledgements);
  const witnesses = followers.filter((member) => isWitness(member));
  if (witnesses.length >= needed) return promoteBest(view, rules, { candidates: witnesses });
  const loss = describeGap(followers, witnesses, recorded.acknowledgements);
  const waited = now - (recorded.failover?.began ?? now);
  const heard = followers.filter(({ isOurs }) => isOurs);
  if (desired.failoverMode !== "Available" || waited < desired.availableAfter || heard.length === 0) {
    const why = `${recorded.failover?.why ?? "the primary is lost"}, and ${loss}: bring back a member, or set spec.failover.mode to Available to accept the loss`;
    return { do: "refuse", reason: "WritesMayBeMissing", why };
  }
  return promoteBest(view, rules, { candidates: heard, mayBeLost: loss });
}

function describeGap<P>(followers: readonly Member<P>[], witnesses: readonly Member<P>[], acknowledgements: number) {
  if (acknowledgements === 0)
    return "the primary did not wait for acknowledgements, so its last writes may be nowhere else";
  const unheard = followers.filter((member) => !witnesses.includes(member)).map(({ name }) => name);
  return `acknowledged writes may be only on ${unheard.join(", ")}`;
}

interface Choice<P> {
  readonly candidates: readonly Member<P>[];
  readonly mayBeLost?: string;
}

/** The member that received most applies all of it and then leads. */
function promoteBest<P>(view: View<P>, { compare }: Rules<P>, { candidates, mayBeLost }: Choice<P>): Action {
  const reports = candidates.flatMap(({ name, report }) => (report === undefined ? [] : [{ name, report }]));
  const best = reports.find(({ report }) =>
    reports.every((other) => ["same", "ahead"].includes(compare(report.received, other.report.received))),
  );
  if (best === undefined) {
    const why = `${reports.map(({ name }) => name).join(", ")} have different writes: delete the volume of the one to discard`;
    return { do: "refuse", reason: "Diverged", why };
  }
  if (compare(best.report.applied, best.report.received) === "behind") {
    return { do: "wait", for: `${best.name} to apply what it received`, isShort: true };
  }
  const from = view.seen.recorded.failover?.from ?? "";
  return withdraw(view, from) ?? { do: "appoint", member: best.name, from, ...(mayBeLost ? { mayBeLost } : {}) };
}

/** The old primary loses its label before the new one gets it, and starts as a replica from now on. */
export function withdraw<P>({ members }: View<P>, from: string): Action | undefined {
  const pod = members.find(({ name }) => name === from)?.pod;
  if (pod === undefined || (pod.serves !== "primary" && pod.startRole === "replica")) return undefined;
  return { do: "set-role", member: from, role: "replica", serves: "none" };
}
