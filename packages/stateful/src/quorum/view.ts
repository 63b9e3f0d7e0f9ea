/** The observation from the point of view of decisions: health of each member, and quorum. */
import type { MemberStatus, ListedMember, Observation, ObservedPod, ObservedVolume } from "./contract.ts";

type Responding = Extract<MemberStatus, { is: "talking" }>;

/**
 * One member with all that is observed about it.
 *
 * @example
 * const names = (members: readonly QuorumMember[]) => members.map(({ name }) => name);
 */
export interface Member {
  readonly name: string;
  readonly id: string;
  readonly isVoter: boolean;
  readonly isStarted: boolean;
  readonly pod: ObservedPod | undefined;
  readonly volume: ObservedVolume | undefined;
  readonly talk: Responding | undefined;
  readonly isLeader: boolean;
  /** It responds, knows a leader and has the right identity: its vote counts, even if its data is corrupt. */
  readonly isVoting: boolean;
  /** It votes and its data is good. */
  readonly isWell: boolean;
  readonly isCorrupt: boolean;
  /** Why it can never become healthy again: its data is lost, corrupt, or of another member or cluster. */
  readonly ruin: string | undefined;
}

/**
 * All members.
 *
 * @example
 * const leaderOf = ({ members }: QuorumView) => members.find(({ isLeader }) => isLeader)?.name;
 */
export interface View {
  readonly seen: Observation;
  readonly members: readonly Member[];
  readonly voters: readonly Member[];
  readonly learners: readonly Member[];
  readonly wellVoters: readonly Member[];
  readonly hasQuorum: boolean;
}

/**
 * How many of so many voters are a majority.
 *
 * @example
 * const needed = quorumOf(3);
 */
export function quorumOf(voters: number): number {
  return Math.floor(voters / 2) + 1;
}

/**
 * The observation from the point of view of decisions.
 *
 * @example
 * const voters = (seen: QuorumObservation) => viewOf(seen).voters.length;
 */
export function viewOf(seen: Observation): View {
  const members = seen.membership.members.map((listed) => memberOf(seen, listed)).toSorted(byName);
  const voters = members.filter(({ isVoter }) => isVoter);
  const learners = members.filter(({ isVoter }) => !isVoter);
  const wellVoters = voters.filter(({ isWell }) => isWell);
  return { seen, members, voters, learners, wellVoters, hasQuorum: seen.membership.by === "quorum" };
}

function memberOf(seen: Observation, { member: name, id, isLearner, isStarted }: ListedMember): Member {
  const pod = seen.pods.find(({ member }) => member === name);
  const volume = seen.volumes.find(({ member }) => member === name);
  const answer = seen.memberStatuses[name];
  const talk = answer?.is === "talking" ? answer : undefined;
  const isCorrupt = talk !== undefined && isCorruptIn(seen, name, talk);
  const ruin = lossReasonOf(seen, { id, isStarted, volume, talk });
  const isUp = pod !== undefined && pod.state === "running" && talk?.leader !== undefined;
  const isVoting = isUp && isStarted && ruin === undefined;
  return {
    name,
    id,
    isVoter: !isLearner,
    isStarted,
    pod,
    volume,
    talk,
    isLeader: talk !== undefined && talk.leader === id,
    isVoting,
    isWell: isVoting && !isCorrupt,
    isCorrupt,
    ruin: ruin ?? (isCorrupt ? "its data is corrupt" : undefined),
  };
}

interface Facts {
  readonly id: string;
  readonly isStarted: boolean;
  readonly volume: ObservedVolume | undefined;
  readonly talk: Responding | undefined;
}

/** Only permanent facts count. A member that does not respond proves nothing. */
function lossReasonOf(seen: Observation, { id, isStarted, volume, talk }: Facts): string | undefined {
  const { membership, recordedState } = seen;
  // A running process still has the data of a lost volume. It serves until another member replaces it.
  const isServing = talk !== undefined && membership.by === "quorum";
  if (isStarted && hasLostVolume({ volume }) && !isServing) return "its volume is gone";
  if (talk === undefined) return undefined;
  const clusterId = membership.by === "quorum" ? membership.clusterId : recordedState.clusterId;
  if (clusterId !== undefined && talk.clusterId !== clusterId) return "its data is of another cluster";
  if (membership.by === "quorum" && isStarted && talk.id !== id) return "its data is of another member";
  return undefined;
}

/** Its data will not exist at its next start. */
export function hasLostVolume({ volume }: Pick<Member, "volume">): boolean {
  return volume === undefined || volume.state === "lost";
}

/** A differing member is known to be corrupt only if a majority agrees. */
function isCorruptIn({ membership, differing }: Observation, name: string, talk: Responding): boolean {
  return talk.isCorrupt || (membership.by === "quorum" && differing.includes(name));
}

/** Sorts by serial: `db-2` before `db-10`. */
export function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return serialOf(one.name) - serialOf(other.name);
}

/**
 * The number at the end of a member's name.
 *
 * @example
 * const serial = serialOf("db-10");
 */
export function serialOf(name: string): number {
  return Number(name.slice(name.lastIndexOf("-") + 1));
}

/** A member name that was never used before. */
export function newMemberName({ seen, members }: View): string {
  const names = [...members.map(({ name }) => name), ...[...seen.pods, ...seen.volumes].map(({ member }) => member)];
  return `${seen.name}-${Math.max(seen.recordedState.serial, -1, ...names.map(serialOf)) + 1}`;
}

/** Its data is lost with its pod: it is replaced, never restarted. */
export function isOnLostNode({ volume, isStarted }: Pick<Member, "volume" | "isStarted">): boolean {
  return isStarted && (hasLostVolume({ volume }) || volume?.state === "stopping");
}

/** Whether the cluster certainly has quorum after a voter is removed or restarted. */
export function canStopMember({ voters }: View, member: Member, how: "remove" | "restart"): boolean {
  if (!member.isVoter) return true;
  if (how === "restart" && isOnLostNode(member)) return false;
  const left = voters.filter(({ name, isVoting }) => isVoting && name !== member.name).length;
  return left >= quorumOf(how === "remove" ? voters.length - 1 : voters.length) && left > 0;
}

/** The healthy voter with the highest applied index, other than the leader. */
export function leaderCandidate({ wellVoters }: View, leader: Member): Member | undefined {
  const others = wellVoters.filter(({ name }) => name !== leader.name);
  return others.toSorted((one, other) => (other.talk?.applied ?? 0) - (one.talk?.applied ?? 0))[0];
}
