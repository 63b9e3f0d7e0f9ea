/** Updates: to another version or another form, one member at a time, followers first, leader last. */
import type { Action, RecordedUpdate } from "../contract.ts";
import { snapshotFor, takeSnapshot } from "./snapshot-before-update.ts";
import { isDrifted, runningVersion, targetVersion } from "./target-version.ts";
import { canStopMember, isOnLostNode, leaderCandidate } from "./view.ts";
import type { Member, View } from "./view.ts";
import { minorOf, nextVersion } from "./version.ts";

/** Called when every member is well. */
export function rollUpdate(view: View): Action | undefined {
  return planUpdate(view) ?? updateNextMember(view) ?? finishUpdate(view) ?? waitForStore(view) ?? refuseVersion(view);
}

/** Notes where to go next, if that is not where we are going. */
function planUpdate(view: View): Action | undefined {
  const { desired, recordedState } = view.seen;
  const { update } = recordedState;
  if (update?.failed !== undefined) {
    if (update.failedGeneration === desired.generation) return undefined;
    return { do: "note-update", update: undefined, note: "the spec has changed: the update may be tried again" };
  }
  const to = plannedVersion(view);
  if (to === undefined) return undefined;
  return update === undefined ? (takeSnapshot(view, to) ?? beginUpdate(view, to)) : noteUpdate(view, to);
}

/** The version that members have to go to next and are not yet going to. */
function plannedVersion(view: View): string | undefined {
  const { desired, recordedState } = view.seen;
  const next = nextVersion(runningOf(view), desired.version, desired.patches);
  if ("stuck" in next || isBelow(desired.version, recordedState.clusterVersion)) return undefined;
  const { update } = recordedState;
  const isAllAt = (version: string): boolean => view.members.every(({ pod }) => pod?.version === version);
  // A step that is over is crossed out first.
  const isUnderWay = update === undefined ? isAllAt(next.go) : update.to === next.go || isAllAt(update.to);
  return isUnderWay ? undefined : next.go;
}

/** While its backup fails, an update waits; everything else goes on. */
function beginUpdate(view: View, to: string): Action | undefined {
  const guard = snapshotFor(view, to);
  if (guard.is === "failing") return undefined;
  if (guard.is === "made") return noteUpdate(view, to, { snapshot: guard.backup });
  return noteUpdate(view, to);
}

function noteUpdate(view: View, to: string, guard: Pick<RecordedUpdate, "snapshot"> = {}): Action {
  const from = runningOf(view);
  const { recordedState, now } = view.seen;
  const { snapshot = recordedState.update?.snapshot } = guard;
  const secured = snapshot === undefined ? {} : { snapshot };
  const update: RecordedUpdate = { from, to, began: now, ...logFloorFor(view, to), ...secured };
  return { do: "note-update", update, note: `members go from ${from} to ${to}, ${describeSnapshot(view, snapshot)}` };
}

function describeSnapshot({ seen }: View, snapshot: string | undefined): string {
  if (snapshot !== undefined) return `the backup ${snapshot} was made before`;
  return seen.desired.safeguard === "storeless"
    ? "without a backup before: spec.backup names no store"
    : "without a backup before";
}

function runningOf({ seen }: View): string {
  return runningVersion(seen) ?? seen.desired.version;
}

/** An update that has to wait for its backup, told when everything else is done. */
function waitForStore(view: View): Action | undefined {
  const to = view.seen.recordedState.update === undefined ? plannedVersion(view) : undefined;
  const guard = to === undefined ? undefined : snapshotFor(view, to);
  return guard?.is === "failing"
    ? { do: "wait", for: `a backup before members go to ${to}, which fails: ${guard.why}` }
    : undefined;
}

/**
 * Up to 3.5 members write entries into their log that 3.7 cannot read. What is behind a member's last snapshot is never read again, so
 * the log has to grow past one snapshot more before the first member starts with 3.7.
 */
function logFloorFor({ voters, seen }: View, to: string): { readonly floor?: number } {
  const isAmong = voters.every(({ pod }) => pod !== undefined && minorOf(pod.version) >= entriesUnreadable);
  if (minorOf(to) < entriesUnreadable || isAmong) return {};
  // Members run with what they were started with: a count that has just been lowered is nobody's yet.
  const counts = voters.map(({ pod }) => pod?.snapshotCount ?? 0);
  const count = Math.max(seen.desired.snapshotCount, ...counts);
  return { floor: Math.max(0, ...voters.map(({ talk }) => talk?.applied ?? 0)) + count + logMargin };
}

/** The first minor version that does not read the old entries. */
const entriesUnreadable = 7;
const logMargin = 200;

/** Before the first member is updated or joins with the new version. */
export function advanceLog({ seen, voters }: View): Action | undefined {
  const { update } = seen.recordedState;
  if (update?.floor === undefined || update.failed !== undefined) return undefined;
  const slowest = Math.min(...voters.map(({ talk }) => talk?.applied ?? 0));
  return slowest < update.floor ? { do: "advance-log", upTo: update.floor } : undefined;
}

function isBelow(version: string, clusterVersion: string | undefined): boolean {
  return clusterVersion !== undefined && minorOf(version) < minorOf(clusterVersion);
}

/** A version that cannot be reached is told when everything else is done. */
function refuseVersion(view: View): Action | undefined {
  const { desired, recordedState } = view.seen;
  if (isBelow(desired.version, recordedState.clusterVersion)) {
    const why = `the data is of version ${recordedState.clusterVersion} and cannot be read by ${desired.version}: ask for ${recordedState.clusterVersion} or later, or restore a backup into a new cluster`;
    return { do: "refuse", reason: "DowngradeRefused", why };
  }
  const next = nextVersion(runningVersion(view.seen) ?? desired.version, desired.version, desired.patches);
  return "stuck" in next ? refuseUnknown(next.stuck, desired.version) : undefined;
}

function refuseUnknown(minor: number, version: string): Action {
  const why = `the way to ${version} leads through 3.${minor}, of which this operator knows no release: ask for a 3.${minor} release first`;
  return { do: "refuse", reason: "VersionUnknown", why };
}

/** The next member that is not as it should be. */
function updateNextMember(view: View): Action | undefined {
  const { seen, voters } = view;
  const version = targetVersion(view);
  const drifted = voters.filter((voter) => isDrifted(view, voter, version) && !isOnLostNode(voter));
  const next = drifted.find(({ isLeader }) => !isLeader) ?? drifted[0];
  if (next === undefined || !canStopMember(view, next, "restart")) return undefined;
  const crowded = refuseQuota(view);
  if (crowded !== undefined) return crowded;
  if (next.isLeader) {
    const to = leaderCandidate(view, next);
    return to && { do: "move-leader", from: next.name, to: to.name, why: "it is about to be updated" };
  }
  const { update } = seen.recordedState;
  if (update !== undefined && update.failed === undefined && update.member !== next.name) {
    const context = { ...update, member: next.name, began: seen.now };
    return { do: "note-update", update: context, note: `${next.name} goes to ${update.to}` };
  }
  return { do: "delete-pod", member: next.name, why: `it is updated to ${version}`, next: version };
}

/** With a lower quota than the database has bytes, all writes would be refused as soon as the first member has it. */
function refuseQuota({ seen, voters }: View): Action | undefined {
  const { quota } = seen.desired;
  const full = voters.find(({ talk }) => talk !== undefined && talk.dbBytes > quota && (talk.quota ?? 0) > quota);
  if (full === undefined) return undefined;
  const why = `the database of ${full.name} has ${full.talk?.dbBytes} bytes, more than the new quota of ${quota}: all writes would be refused. Raise quota-backend-bytes or the profile again, or delete keys and defragment with an EtcdOperation`;
  return { do: "refuse", reason: "QuotaTooSmall", why };
}

/** Nobody drifts any more: the step is done, and what is noted of it can go. */
function finishUpdate(view: View): Action | undefined {
  const { recordedState } = view.seen;
  const { update } = recordedState;
  if (update === undefined || update.failed !== undefined) return undefined;
  if (view.voters.some((voter) => isDrifted(view, voter, update.to))) return undefined;
  return { do: "note-update", update: undefined, note: `all members run ${update.to}` };
}

/** Where the update goes has changed since it began: it is led there, whoever's turn it is. */
export function replanUpdate(view: View): Action | undefined {
  const { desired, recordedState, now } = view.seen;
  const { update } = recordedState;
  if (update === undefined || update.failed !== undefined || isBelow(desired.version, recordedState.clusterVersion))
    return undefined;
  const next = nextVersion(update.from, desired.version, desired.patches);
  if ("stuck" in next || next.go === update.to) return undefined;
  const led = { ...update, to: next.go, began: now, ...logFloorFor(view, next.go) };
  return { do: "note-update", update: led, note: `the spec has changed: members go to ${next.go} instead` };
}

/** A member that did not come back from its update in time: the update is put back while etcd allows it. */
export function abandonUpdate(view: View): Action | undefined {
  const { desired, recordedState, now, updatingSince } = view.seen;
  const { update } = recordedState;
  if (!desired.rollsBackUpdates || update === undefined || update.failed !== undefined) return undefined;
  if (
    now - (updatingSince ?? update.began) < desired.updateDeadline ||
    isBelow(update.from, recordedState.clusterVersion)
  )
    return undefined;
  const member = view.members.find((one) => isBeingUpdated(one, update) && !isUpdated(one));
  if (member === undefined) return undefined;
  const { startFailure: failure } = member.pod ?? {};
  const failed = `${member.name} did not come back with ${update.to}${failure === undefined ? "" : `: ${failure}`}`;
  const { member: _member, floor: _floor, ...rest } = update;
  const noted = { ...rest, failed, failedGeneration: desired.generation };
  return { do: "note-update", update: noted, note: `${failed}; going back to ${update.from}` };
}

/** It is its turn, or it is a new member that begins with the new version. */
function isBeingUpdated({ name, isVoter, pod }: Member, { member, to }: RecordedUpdate): boolean {
  return name === member || (!isVoter && pod?.version === to);
}

function isUpdated({ isWell, pod }: Member): boolean {
  return isWell && pod?.isReady === true;
}
