/** A model of etcd members, volumes and pods with the rules of the real ones, for tests of decisions. */
import type {
  Action,
  MemberStatus,
  Boot,
  RecordedRecovery,
  RecordedUpdate,
  ListedMember,
  Observation,
  SnapshotState,
  ObservedPod,
  ObservedVolume,
} from "../../src/contract.ts";
import { etcd } from "../../src/decide/index.ts";
import { mergeReportedMembers } from "capstan/stateful/quorum";
import { Disaster } from "./disaster.ts";
import { mustHaveAll, mustNotBeNewest, replicate } from "./ledger.ts";

/** The content of a member's volume. */
export type Data =
  | "none"
  | "empty"
  | "good"
  /** The process cannot start on it. */
  | "broken"
  /** It starts, and etcd reports it as corrupt. */
  | "corrupt"
  /** It starts, and belongs to another cluster. */
  | "foreign"
  /** It is good, and the volume is deleted with the pod. */
  | "doomed";

/** The state of a member's pod. */
export type PodState = "none" | "starting" | "up" | "down" | "ended" | "stopping" | "cut off" | "cut off, leaving";

export interface Slot {
  readonly name: string;
  readonly role: "voter" | "learner" | "unlisted";
  readonly isStarted: boolean;
  readonly data: Data;
  readonly pod: PodState;
  readonly boot: Boot;
  readonly version: string;
  /** The pod has an older template than the spec's. */
  readonly isOldForm: boolean;
  /** The condition has lasted longer than any timeout. */
  readonly isLong: boolean;
  /** How much of the log it has; after the loss of its volume, how much it once had. */
  readonly log?: number;
  /** It has not applied its log yet. */
  readonly isApplying?: boolean;
  /** It votes, and the status does not know that yet. */
  readonly isForgotten?: boolean;
  /** It may start without comparing its data with that of the others. */
  readonly isExcused?: boolean;
}

export interface World {
  readonly slots: readonly Slot[];
  readonly size: number;
  readonly version: string;
  /** Pods of this version do not start. */
  readonly badVersion: string | undefined;
  /** Pods with the spec's template do not start, those with an older one do; and whether the operator has recorded that. */
  readonly badForm?: "unnoted" | "noted";
  readonly update: RecordedUpdate | undefined;
  readonly recovery: RecordedRecovery | undefined;
  readonly hasIdentity: boolean;
  readonly leader: string | undefined;
  readonly recovers: boolean;
  /** What a recovery finds in the store: nothing, a backup, or one that no member can start with. */
  readonly backup: "none" | "good" | "bad";
  /** Whether a user requests to replace all data with that backup, or did and withdrew the request. */
  readonly restore: "none" | "asked" | "withdrawn";
  /** The store for backups. */
  readonly store: "works" | "fails" | "none";
  readonly safeguards: { readonly [name: string]: SnapshotState };
  /** How much of the log a majority has had: clients got an acknowledgement. Undefined: writes are not tracked. */
  readonly acknowledged?: number;
}

const NOW = 1_000_000_000;
const LONG = 100_000_000;

export const OLD = "3.5.35";
export const NEW = "3.6.16";

/** A member that serves. */
export function isAlive(slot: Slot): boolean {
  return slot.pod === "up" && slot.isStarted && (slot.data === "good" || slot.data === "doomed");
}

/** A member whose vote counts: one with corrupt data votes, too. */
function isVoting(slot: Slot): boolean {
  return isAlive(slot) || (slot.pod === "up" && slot.isStarted && slot.data === "corrupt");
}

export function quorumExists({ slots }: Pick<World, "slots">): boolean {
  const voters = slots.filter(({ role }) => role === "voter");
  return voters.length > 0 && voters.filter(isVoting).length > voters.length / 2;
}

/** Whether a member's version is recorded: it has had a pod. */
function hasRun({ data, pod }: Slot): boolean {
  return pod !== "none" || (data !== "none" && data !== "empty");
}

/** The world as the operator observes it. */
export function observe(world: World): Observation {
  const { slots, size, version, update, recovery, recovers } = world;
  const hasQuorum = quorumExists(world);
  const listed = slots.filter(({ role }) => role !== "unlisted");
  const members = listed.map((slot) => listedAs(slot, slot.role));
  const volumes = slots.filter(({ data }) => data !== "none").map(volumeOf);
  const remembered = listed.map((slot) => listedAs(slot, slot.isForgotten === true ? "learner" : slot.role));
  const heard = listed.some((slot) => isAlive(slot) || slot.data === "corrupt") ? members : [];
  return {
    application: etcd,
    name: "m",
    now: NOW,
    desired: {
      size,
      version,
      generation: 2,
      isPaused: false,
      volumeBytes: 1,
      quota: 100,
      patches: { 5: OLD, 6: NEW, 7: "3.7.3" },
      snapshotCount: 0,
      updateDeadline: 300_000,
      rollsBackUpdates: true,
      hasStore: world.store !== "none",
      safeguard: world.store === "none" ? "storeless" : "backup",
      recoversQuorum: recovers,
      recoversFromBackup: world.backup !== "none",
      replaceAfter: 300_000,
      bootstrapsFromBackup: false,
      replace: [],
      templateDigest: "new",
      templateHashFor: (of) => `new-${of}`,
    },
    recordedState: {
      serial: -1,
      versions: Object.fromEntries(slots.filter(hasRun).map((slot) => [slot.name, slot.version])),
      ...(world.hasIdentity ? { clusterId: "c" } : {}),
      ...(update === undefined ? {} : { update }),
      ...(recovery === undefined ? {} : { recovery }),
      ...(world.badForm === "noted" ? { templateFailed: { form: "new", why: "it did not come back" } } : {}),
      clusterVersion: clusterVersionOf(world),
    },
    pods: slots.filter(({ pod }) => pod !== "none").map((slot) => podOf(slot, hasQuorum)),
    volumes,
    memberStatuses: Object.fromEntries(slots.map((slot) => [slot.name, answerOf(world, slot, hasQuorum)])),
    membership: hasQuorum
      ? { by: "quorum", clusterId: "c", members }
      : { by: "memory", members: mergeReportedMembers(remembered, { heard, volumes }) },
    foreign: [],
    lastGood:
      world.badForm === undefined
        ? { templateDigest: "new", templateHashFor: (of) => `new-${of}` }
        : { templateDigest: "old", templateHashFor: (of) => `old-${of}` },
    otherAuthority: [],
    missing: [],
    differing: [],
    staleAlarms: [],
    snapshots: world.safeguards,
    ...(world.backup === "none" ? {} : { newestBackup: "b" }),
    ...(isLearnerSaved(world) ? { newestRevision: 1_000_000 } : {}),
    ...(world.restore === "asked" ? { restore: { uid: "r", name: "r" } } : {}),
    isRestoreDeleted: world.restore === "withdrawn",
  };
}

/** A backup was made of all data of a learner. */
function isLearnerSaved({ safeguards }: World): boolean {
  return Object.entries(safeguards).some(([name, { is }]) => name.startsWith("m-saved-") && is === "made");
}

function listedAs({ name, isStarted }: Slot, role: Slot["role"]): ListedMember {
  return { member: name, id: `id-${name}`, isStarted, isLearner: role === "learner" };
}

function volumeOf({ name, data }: Slot): ObservedVolume {
  return { member: name, state: data === "doomed" ? "stopping" : "bound", requested: 1, capacity: 1 };
}

/** etcd's cluster version is that of its oldest member. */
function clusterVersionOf({ slots }: World): string {
  return slots.some(({ role, version }) => role !== "unlisted" && version === OLD) ? "3.5.0" : "3.6.0";
}

function podOf(slot: Slot, hasQuorum: boolean): ObservedPod {
  const { name, pod, boot, version, isOldForm, isLong, data, isStarted } = slot;
  const states = {
    starting: "pending",
    up: "running",
    down: "running",
    ended: "ended",
    stopping: "stopping",
    "cut off": "running",
    "cut off, leaving": "stopping",
  };
  return {
    member: name,
    uid: `uid-${name}`,
    boot,
    hasBootstrapFlags: boot === "seed" || boot === "join",
    initialCheck: slot.isExcused === true ? "off" : "on",
    templateHash: `${isOldForm ? "old" : "new"}-${version}`,
    version,
    state: (states as { [state: string]: ObservedPod["state"] })[pod] ?? "pending",
    isReady: pod === "up" && isStarted && data !== "foreign" && hasQuorum,
    since: isLong ? NOW - LONG : NOW,
    isContainerDown: pod === "down" || pod === "ended",
    restarts: pod === "down" && isLong ? 9 : 0,
    ...(pod === "down" ? { startFailure: "it crashes" } : {}),
    isNodeLost: pod.startsWith("cut off"),
  };
}

function answerOf(world: World, slot: Slot, hasQuorum: boolean): MemberStatus {
  if (slot.pod !== "up" || slot.data === "broken") return { is: "silent", why: "nobody answers" };
  const { log = 0, isApplying = false } = slot;
  const applied = isApplying ? 0 : log;
  return {
    is: "talking",
    id: `id-${slot.name}`,
    clusterId: slot.data === "foreign" ? "another" : "c",
    version: slot.version,
    isLearner: slot.role === "learner",
    ...(hasQuorum ? { leader: `id-${world.leader ?? ""}` } : {}),
    revision: 10 + applied,
    raftIndex: 100 + log,
    raftTerm: 2,
    applied: 100 + applied,
    dbBytes: 1,
    dbBytesInUse: 1,
    isCorrupt: slot.data === "corrupt",
    isFull: false,
  };
}

/** The effect of an action. */
export function perform(world: World, action: Action): World {
  switch (action.do) {
    case "rest":
    case "wait":
    case "refuse":
    case "grow-volume":
    case "disarm":
    case "advance-log":
      return world;
    case "create-volume":
      return put(world, { ...slotOf(world, action.member), data: "empty" });
    case "create-pod":
      return createPod(world, action);
    case "delete-pod":
      mustNotLead(world, action);
      return deletePod(world, slotOf(world, action.member));
    case "wean":
      return put(world, { ...slotOf(world, action.member), boot: "live", isExcused: false });
    case "excuse":
      return put(world, { ...slotOf(world, action.member), boot: "live", isExcused: true });
    case "delete-volume":
      return deleteVolume(world, slotOf(world, action.member));
    default:
      return isNote(action) ? note(world, action) : change(world, action);
  }
}

type Note = Extract<Action, { do: "take-snapshot" | "note-update" | "note-form" | "note-recovery" }>;

function isNote(action: Action): action is Note {
  return action.do === "take-snapshot" || action.do.startsWith("note-");
}

/** Actions that only record something, for the operator or for users. */
function note(world: World, action: Note): World {
  switch (action.do) {
    case "take-snapshot":
      return { ...world, safeguards: { [action.name]: { is: "making" } } };
    case "note-update":
      return noteUpdate(world, action.update);
    case "note-form":
      return { ...world, badForm: "noted" };
    case "note-recovery":
      return noteRecovery(world, action.recovery);
  }
}

/** An update begins after a backup, or without a store. */
function noteUpdate(world: World, update: RecordedUpdate | undefined): World {
  const begins = update !== undefined && world.update === undefined;
  if (begins && world.store !== "none" && update.snapshot === undefined)
    throw new Disaster("an update without a backup");
  return { ...world, update };
}

/** A replacement of data needs proof that no data is left: a volume whose process does not start may still be of value. */
function noteRecovery(world: World, recovery: RecordedRecovery): World {
  const begins = recovery.phase === "Stopping" && recovery.restore === undefined;
  const listed = begins ? world.slots.filter(({ role }) => role !== "unlisted") : [];
  const owed = listed.filter(({ role, data, isStarted }) => {
    if (role === "voter" && data === "broken") return true;
    const isSaved = role === "learner" && (!isStarted || isLearnerSaved(world));
    return recovery.source === "Backup" && data === "good" && !isSaved;
  });
  if (owed.length > 0) throw new Disaster(`the data of ${owed.map(({ name }) => name).join(", ")} is given up`);
  return { ...world, recovery };
}

/** Until a recovery is complete, everything from before it must stay. */
function deleteVolume(world: World, slot: Slot): World {
  const { phase = "Done", member } = world.recovery ?? {};
  if (phase !== "Done" && phase !== "Refused" && slot.name !== member)
    throw new Disaster(`the volume of ${slot.name} goes in the midst of a recovery`);
  mustNotBeNewest(world, slot);
  return put(world, { ...slot, data: "none" });
}

/** Backups are made, or fail. */
function backUp({ store, safeguards }: World): World["safeguards"] {
  const end: SnapshotState = store === "fails" ? { is: "failing", why: "no route" } : { is: "made", backup: "b" };
  return Object.fromEntries(Object.keys(safeguards).map((name) => [name, end]));
}

/** The leader must hand over before its pod is recreated, or all members would wait for an election. */
function mustNotLead(world: World, { member, next }: Extract<Action, { do: "delete-pod" }>): void {
  const isLed = quorumExists(world) && world.leader === member;
  if (next !== undefined && isLed) throw new Disaster(`${member} is stopped while it leads`);
}

/** A pod is gone when its node reports it; an unreachable node reports nothing. */
function deletePod(world: World, slot: Slot): World {
  const isHeard = slot.pod !== "cut off" && slot.pod !== "cut off, leaving";
  return put(world, { ...slot, pod: isHeard ? "stopping" : "cut off, leaving", isLong: !isHeard && slot.isLong });
}

/** Changes of membership, which etcd accepts only with a quorum. */
function change(
  world: World,
  action: Extract<Action, { do: "add-learner" | "promote" | "remove-member" | "move-leader" }>,
): World {
  if (!quorumExists(world)) throw new Disaster(`${action.do} without quorum`);
  switch (action.do) {
    case "add-learner":
      if (world.slots.some(({ role }) => role === "learner")) throw new Disaster("two learners");
      mustNotBeginAnew(world.slots);
      return put(world, { ...slotOf(world, action.member), role: "learner", isStarted: false });
    case "promote":
      mustNotBeginAnew([slotOf(world, action.member)]);
      return put(world, { ...slotOf(world, action.member), role: "voter" });
    case "remove-member":
      return put(world, { ...slotOf(world, action.member), role: "unlisted" });
    case "move-leader":
      return { ...world, leader: action.to };
  }
}

/** Other members rely on this one from now on. If it could bootstrap again, it would be a second cluster, or vote without its log. */
function mustNotBeginAnew(slots: readonly Slot[]): void {
  const newborn = slots.find((slot) => isAlive(slot) && (slot.boot === "seed" || slot.boot === "join"));
  if (newborn !== undefined) throw new Disaster(`${newborn.name} could begin anew`);
}

function createPod(world: World, { member, boot, version, form }: Extract<Action, { do: "create-pod" }>): World {
  const slot = slotOf(world, member);
  if (slot.pod !== "none") throw new Disaster(`a second pod ${member}`);
  if (slot.data === "none") throw new Disaster(`${member} has no volume`);
  if (boot === "seed" && world.hasIdentity) throw new Disaster("a second cluster of the same name");
  return put(world, {
    ...slot,
    pod: "starting",
    boot,
    version,
    isOldForm: form === "last good",
    isLong: false,
    isExcused: false,
  });
}

/** What happens without the operator. Returns the same world when nothing happens. */
export function pass(world: World): World {
  const { phase, restore } = world.recovery ?? {};
  // The user sees that the restore was refused.
  const isToldOff = phase === "Refused" && restore !== undefined;
  let next: World = { ...world, safeguards: backUp(world), ...(isToldOff ? { restore: "none" } : {}) };
  for (const { name } of world.slots) next = advance(next, slotOf(next, name));
  // Slots of removed members that have neither pod nor data are dropped.
  const slots = next.slots.filter(({ role, data, pod }) => role !== "unlisted" || data !== "none" || pod !== "none");
  if (slots.length !== next.slots.length) next = { ...next, slots };
  return elect(replicate(next, quorumExists(next), isVoting));
}

function advance(world: World, slot: Slot): World {
  switch (slot.pod) {
    case "stopping":
      return put(world, { ...slot, pod: "none", data: slot.data === "doomed" ? "none" : slot.data });
    case "starting":
      return start(world, slot);
    case "up": {
      // A removed member stops by itself; a learner that waits for quorum starts when there is one.
      if (slot.role === "unlisted" && slot.data !== "foreign" && world.hasIdentity)
        return put(world, { ...slot, pod: "down" });
      return world;
    }
    case "down":
      return canStart(world, slot) ? start(world, slot) : world;
    default:
      return world;
  }
}

function isUnable({ badVersion, badForm }: World, { version, isOldForm, data }: Slot): boolean {
  return version === badVersion || data === "broken" || (badForm !== undefined && !isOldForm);
}

function canStart(world: World, slot: Slot): boolean {
  if (isUnable(world, slot)) return false;
  if (slot.data !== "empty") return slot.role !== "unlisted" && slot.isStarted;
  return slot.boot === "join" && slot.role !== "unlisted" && !slot.isStarted && quorumExists(world);
}

function start(world: World, slot: Slot): World {
  if (isUnable(world, slot)) return put(world, { ...slot, pod: "down" });
  if (slot.data === "empty") return begin(world, slot);
  if (slot.boot === "survive") return survive(world, slot);
  if (slot.data === "foreign") return put(world, { ...slot, pod: "up" });
  const isMember = slot.role !== "unlisted" && slot.isStarted;
  return put(world, { ...slot, pod: isMember ? "up" : "down" });
}

function begin(world: World, slot: Slot): World {
  if (slot.boot === "seed-backup") return beginWithBackup(world, slot);
  if (slot.boot === "seed") {
    if (world.hasIdentity) throw new Disaster("a second cluster of the same name");
    return { ...put(world, { ...slot, role: "voter", isStarted: true, data: "good", pod: "up" }), hasIdentity: true };
  }
  if (slot.isStarted && slot.boot === "join") throw new Disaster(`${slot.name} votes again without its memory`);
  const joins = canStart(world, slot);
  return put(world, joins ? { ...slot, isStarted: true, data: "good", pod: "up" } : { ...slot, pod: "down" });
}

/** A new cluster, without any member of the old one. */
function beginWithBackup(world: World, slot: Slot): World {
  if (world.recovery?.phase !== "Seeding") throw new Disaster("a backup that nobody asked for");
  if (world.backup === "bad") return put(world, { ...slot, pod: "down" });
  const rest = world.slots.map((other): Slot => ({ ...other, role: "unlisted" }));
  const born: Slot = { ...slot, role: "voter", isStarted: true, data: "good", pod: "up" };
  // The user requested to replace whatever was written since.
  const isWished = world.recovery.restore !== undefined && world.acknowledged !== undefined;
  return put({ ...world, slots: rest, leader: slot.name, ...(isWished ? { acknowledged: 0 } : {}) }, born);
}

/** The membership shrinks to one: no other member may be running. */
function survive(world: World, slot: Slot): World {
  const others = world.slots.filter(({ name, pod }) => name !== slot.name && pod !== "none");
  if (others.length > 0) throw new Disaster("two clusters with one identity");
  mustHaveAll(world, slot);
  const rest = world.slots.map((other): Slot => (other.name === slot.name ? other : { ...other, role: "unlisted" }));
  return put({ ...world, slots: rest, leader: slot.name }, { ...slot, role: "voter", pod: "up" });
}

function elect(world: World): World {
  if (!quorumExists(world)) return world;
  const voters = world.slots.filter((slot) => slot.role === "voter" && isVoting(slot));
  const [first] = voters;
  return voters.some(({ name }) => name === world.leader) ? world : { ...world, leader: first?.name };
}

/** So much time passes that every deadline is over. */
export function age(world: World): World {
  const slots = world.slots.map((slot): Slot => ({ ...slot, isLong: true }));
  const update = world.update && { ...world.update, began: NOW - LONG };
  return { ...world, slots, update };
}

function slotOf({ slots }: World, name: string): Slot {
  const fresh: Slot = {
    name,
    role: "unlisted",
    isStarted: false,
    data: "none",
    pod: "none",
    boot: "live",
    version: OLD,
    isOldForm: false,
    isLong: false,
  };
  return slots.find((slot) => slot.name === name) ?? fresh;
}

function put(world: World, slot: Slot): World {
  const isKnown = world.slots.some(({ name }) => name === slot.name);
  const slots = isKnown ? world.slots.map((one) => (one.name === slot.name ? slot : one)) : [...world.slots, slot];
  return { ...world, slots };
}
