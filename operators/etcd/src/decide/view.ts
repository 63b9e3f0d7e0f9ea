/** What an observation means for each member and for the whole: the words in which decisions are made. */
import type { MemberStatus, ListedMember, Observation, ObservedPod, ObservedVolume } from "../contract.ts";

type Responding = Extract<MemberStatus, { is: "talking" }>;

/** One member with everything that is known of it. */
export interface Member {
  readonly name: string;
  readonly id: string;
  readonly isVoter: boolean;
  readonly isStarted: boolean;
  readonly pod: ObservedPod | undefined;
  readonly volume: ObservedVolume | undefined;
  readonly talk: Responding | undefined;
  readonly isLeader: boolean;
  /** It answers, knows a leader and is who it should be: its vote counts, even if its data is corrupt. */
  readonly isVoting: boolean;
  /** It votes and its data is good. */
  readonly isWell: boolean;
  readonly isCorrupt: boolean;
  /** Its data is gone, wrong or somebody else's: it can never be well again. */
  readonly ruin: string | undefined;
}

/** The whole. */
export interface View {
  readonly seen: Observation;
  readonly members: readonly Member[];
  readonly voters: readonly Member[];
  readonly learners: readonly Member[];
  readonly wellVoters: readonly Member[];
  readonly hasQuorum: boolean;
}

/** How many of so many voters make a quorum. */
export function quorumOf(voters: number): number {
  return Math.floor(voters / 2) + 1;
}

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

/** Only facts that cannot change back count: silence is no proof. */
function lossReasonOf(seen: Observation, { id, isStarted, volume, talk }: Facts): string | undefined {
  const { membership, recordedState } = seen;
  // Under a process that runs, data lives on for as long as that: it serves until another is there.
  const isServing = talk !== undefined && membership.by === "quorum";
  if (isStarted && hasLostVolume({ volume }) && !isServing) return "its volume is gone";
  if (talk === undefined) return undefined;
  const clusterId = membership.by === "quorum" ? membership.clusterId : recordedState.clusterId;
  if (clusterId !== undefined && talk.clusterId !== clusterId) return "its data is of another cluster";
  if (membership.by === "quorum" && isStarted && talk.id !== id) return "its data is of another member";
  return undefined;
}

/** What it has written is not there any more when it starts the next time. */
export function hasLostVolume({ volume }: Pick<Member, "volume">): boolean {
  return volume === undefined || volume.state === "lost";
}

/** Who differs is known only where a majority agrees. */
function isCorruptIn({ membership, differing }: Observation, name: string, talk: Responding): boolean {
  return talk.isCorrupt || (membership.by === "quorum" && differing.includes(name));
}

/** By serial: `etcd-2` comes before `etcd-10`. */
export function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return serialOf(one.name) - serialOf(other.name);
}

/** The number of a member: its name ends with it. */
export function serialOf(name: string): number {
  return Number(name.slice(name.lastIndexOf("-") + 1));
}

/** The name of a member that there never was. */
export function newMemberName({ seen, members }: View): string {
  const names = [...members.map(({ name }) => name), ...[...seen.pods, ...seen.volumes].map(({ member }) => member)];
  return `${seen.name}-${Math.max(seen.recordedState.serial, -1, ...names.map(serialOf)) + 1}`;
}

/** What it has goes with its pod: it is exchanged, never restarted. */
export function isOnLostNode({ volume, isStarted }: Pick<Member, "volume" | "isStarted">): boolean {
  return isStarted && (hasLostVolume({ volume }) || volume?.state === "stopping");
}

/** Whether quorum exists for certain after a voter is taken away or stopped for a while. */
export function canStopMember({ voters }: View, member: Member, how: "remove" | "restart"): boolean {
  if (!member.isVoter) return true;
  if (how === "restart" && isOnLostNode(member)) return false;
  const left = voters.filter(({ name, isVoting }) => isVoting && name !== member.name).length;
  return left >= quorumOf(how === "remove" ? voters.length - 1 : voters.length) && left > 0;
}

/** The well voter that is furthest, other than one. */
export function leaderCandidate({ wellVoters }: View, leader: Member): Member | undefined {
  const others = wellVoters.filter(({ name }) => name !== leader.name);
  return others.toSorted((one, other) => (other.talk?.applied ?? 0) - (one.talk?.applied ?? 0))[0];
}
