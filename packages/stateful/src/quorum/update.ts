/** Updates to another version or template: one member at a time, followers first, leader last. */
import type { Action, NextVersion, RecordedUpdate } from "./contract.ts";
import { snapshotFor, takeSnapshot } from "./snapshot-before-update.ts";
import { isDrifted, runningVersion, targetVersion } from "./target-version.ts";
import { canStopMember, isOnLostNode, leaderCandidate } from "./view.ts";
import type { Member, View } from "./view.ts";

/** Called when all members are healthy. */
export function rollUpdate(view: View): Action | undefined {
  return planUpdate(view) ?? updateNextMember(view) ?? finishUpdate(view) ?? waitForStore(view) ?? refuseVersion(view);
}

/** Records the next version, unless the update goes there already. */
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

/** The next version, if members are not going there already. */
function plannedVersion(view: View): string | undefined {
  const { desired, recordedState } = view.seen;
  const next = nextVersion(view, runningOf(view));
  if ("missing" in next || isBelow(view, desired.version)) return undefined;
  const { update } = recordedState;
  const isAllAt = (version: string): boolean => view.members.every(({ pod }) => pod?.version === version);
  // A completed step is cleared first.
  const isUnderWay = update === undefined ? isAllAt(next.go) : update.to === next.go || isAllAt(update.to);
  return isUnderWay ? undefined : next.go;
}

/** While its safeguard snapshot fails, the update waits. The other rules continue. */
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

/** Reports an update that waits for its safeguard snapshot, after all other rules. */
function waitForStore(view: View): Action | undefined {
  const to = view.seen.recordedState.update === undefined ? plannedVersion(view) : undefined;
  const guard = to === undefined ? undefined : snapshotFor(view, to);
  return guard?.is === "failing"
    ? { do: "wait", for: `a backup before members go to ${to}, which fails: ${guard.why}` }
    : undefined;
}

/**
 * Members may have written log entries that the next version cannot read. Entries before the last snapshot of the log are never read
 * again, so the log has to grow past one more snapshot before the first member starts with that version.
 */
function logFloorFor({ voters, seen }: View, to: string): { readonly floor?: number } {
  const { readsLogOf } = seen.application.versions;
  if (voters.every(({ pod }) => readsLogOf(to, pod?.version))) return {};
  // Running members use the count that they were started with. A lowered count is not in effect yet.
  const counts = voters.map(({ pod }) => pod?.snapshotCount ?? 0);
  const count = Math.max(seen.desired.snapshotCount, ...counts);
  return { floor: Math.max(0, ...voters.map(({ talk }) => talk?.applied ?? 0)) + count + logMargin };
}

const logMargin = 200;

/** Runs before the first member is updated or joins with the new version. */
export function advanceLog({ seen, voters }: View): Action | undefined {
  const { update } = seen.recordedState;
  if (update?.floor === undefined || update.failed !== undefined) return undefined;
  const slowest = Math.min(...voters.map(({ talk }) => talk?.applied ?? 0));
  return slowest < update.floor ? { do: "advance-log", upTo: update.floor } : undefined;
}

function isBelow({ seen }: View, version: string): boolean {
  const { clusterVersion } = seen.recordedState;
  return clusterVersion !== undefined && seen.application.versions.isTooOldFor(version, clusterVersion);
}

function nextVersion({ seen }: View, from: string): NextVersion {
  const { version, patches } = seen.desired;
  return seen.application.versions.next(from, version, patches);
}

/** Reports a version that cannot be reached, after all other rules. */
function refuseVersion(view: View): Action | undefined {
  const { desired, recordedState } = view.seen;
  if (isBelow(view, desired.version)) {
    const why = `the data is of version ${recordedState.clusterVersion} and cannot be read by ${desired.version}: ask for ${recordedState.clusterVersion} or later, or restore a backup into a new cluster`;
    return { do: "refuse", reason: "DowngradeRefused", why };
  }
  const next = nextVersion(view, runningOf(view));
  return "missing" in next ? refuseUnknown(next.missing, desired.version) : undefined;
}

function refuseUnknown(series: string, version: string): Action {
  const why = `the way to ${version} leads through ${series}, of which this operator knows no release: ask for a ${series} release first`;
  return { do: "refuse", reason: "VersionUnknown", why };
}

/** Updates the next member with an outdated template. */
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

/** With a quota below the size of the data, all writes would be rejected as soon as the first member has it. */
function refuseQuota({ seen, voters }: View): Action | undefined {
  const { quota } = seen.desired;
  const full = voters.find(({ talk }) => talk !== undefined && talk.dbBytes > quota && (talk.quota ?? 0) > quota);
  if (full === undefined) return undefined;
  const why = `the database of ${full.name} has ${full.talk?.dbBytes} bytes, more than the new quota of ${quota}: all writes would be refused. ${seen.application.quotaAdvice}`;
  return { do: "refuse", reason: "QuotaTooSmall", why };
}

/** No member is outdated: the step is complete and its record is cleared. */
function finishUpdate(view: View): Action | undefined {
  const { recordedState } = view.seen;
  const { update } = recordedState;
  if (update === undefined || update.failed !== undefined) return undefined;
  if (view.voters.some((voter) => isDrifted(view, voter, update.to))) return undefined;
  return { do: "note-update", update: undefined, note: `all members run ${update.to}` };
}

/** The spec changed during the update: the update goes to the new version, whichever member is next. */
export function replanUpdate(view: View): Action | undefined {
  const { recordedState, now, desired } = view.seen;
  const { update } = recordedState;
  if (update === undefined || update.failed !== undefined || isBelow(view, desired.version)) return undefined;
  const next = nextVersion(view, update.from);
  if ("missing" in next || next.go === update.to) return undefined;
  const led = { ...update, to: next.go, began: now, ...logFloorFor(view, next.go) };
  return { do: "note-update", update: led, note: `the spec has changed: members go to ${next.go} instead` };
}

/** A member did not become ready after its update in time: the update is rolled back while the data allows it. */
export function abandonUpdate(view: View): Action | undefined {
  const { desired, recordedState, now, updatingSince } = view.seen;
  const { update } = recordedState;
  if (!desired.rollsBackUpdates || update === undefined || update.failed !== undefined) return undefined;
  if (now - (updatingSince ?? update.began) < desired.updateDeadline || isBelow(view, update.from)) return undefined;
  const member = view.members.find((one) => isBeingUpdated(one, update) && !isUpdated(one));
  if (member === undefined) return undefined;
  const { startFailure: failure } = member.pod ?? {};
  const failed = `${member.name} did not come back with ${update.to}${failure === undefined ? "" : `: ${failure}`}`;
  const { member: _member, floor: _floor, ...rest } = update;
  const noted = { ...rest, failed, failedGeneration: desired.generation };
  return { do: "note-update", update: noted, note: `${failed}; going back to ${update.from}` };
}

/** The member is being updated, or is a new member with the new version. */
function isBeingUpdated({ name, isVoter, pod }: Member, { member, to }: RecordedUpdate): boolean {
  return name === member || (!isVoter && pod?.version === to);
}

function isUpdated({ isWell, pod }: Member): boolean {
  return isWell && pod?.isReady === true;
}
