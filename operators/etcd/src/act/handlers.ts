/** One handler an action. Each does one thing that can be repeated: whoever dies in between finds its traces and goes on. */
import { requeue } from "capstan";
import { PersistentVolumeClaim, Pod } from "capstan/kinds/v1";
import type { Action } from "../contract.ts";
import { EtcdError } from "../etcd/index.ts";
import type { EtcdClient } from "../etcd/index.ts";
import { forksAfter } from "../forks.ts";
import { EtcdBackup } from "../kinds/index.ts";
import { bootAnnotations, claimName, clusterLabels, GUARD_LABEL, peerUrl } from "../pods/index.ts";
import { formatTimestamp } from "../timestamp.ts";
import { care } from "./care.ts";
import { keepForm, startMember, tryForm } from "./form.ts";
import { isRefusal } from "./obstacle.ts";
import { applyVolume } from "./provide.ts";
import { recoveryRecord } from "./recovery-record.ts";
import { spokesman } from "./turn.ts";
import type { Handler, Turn } from "./turn.ts";

const NEXT = requeue("500ms", { reason: "one step at a time" });

/** Exhaustive by type. */
export const HANDLERS: { readonly [D in Action["do"]]: Handler<D> } = {
  rest: async (turn, means) => {
    await keepForm(turn);
    const isBusy = await care(turn, means);
    return isBusy ? NEXT : requeue("30s", { reason: "all is well" });
  },

  wait: ({ action }) => requeue("2s", { reason: `waiting for ${action.for}` }),

  refuse: ({ action, event }) => {
    event("Warning", action.reason, action.why);
    return requeue("15s", { reason: action.why });
  },

  "create-volume": async (turn) => {
    await applyVolume(turn, turn.action.member);
    return NEXT;
  },

  "grow-volume": async (turn) => {
    const { member } = turn.action;
    try {
      await applyVolume(turn, member);
      turn.status.growthRefused = undefined;
      turn.event("Normal", "VolumeGrows", `the volume of ${member} grows`);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      turn.status.growthRefused = { why: error.message, at: formatTimestamp(turn.seen.now) };
      turn.event("Warning", "VolumeRefused", `the volume of ${member} does not grow: ${error.message}`);
    }
    return NEXT;
  },

  "create-pod": async (turn, { seedParts }) => {
    const { action, event } = turn;
    const { member, boot, version, form } = action;
    await startMember(turn, boot === "seed-backup" ? seedParts(turn, member, version) : undefined);
    const how = form === undefined ? boot : `${boot}, in the last good form`;
    event("Normal", "MemberStarted", `${member} starts with etcd ${version} (${how})`);
    return NEXT;
  },

  "delete-pod": async (turn) => {
    const { remove, action, event } = turn;
    if (action.next !== undefined) await tryForm(turn, action.member, action.next);
    event("Normal", "MemberStopped", `${action.member} is stopped: ${action.why}`);
    await remove(Pod, action.member);
    return NEXT;
  },

  wean: async ({ apply, seen, action }) => {
    const { member } = action;
    const annotations = bootAnnotations(seen.form, { member, boot: "live", peers: [] });
    await apply(Pod, member, { metadata: { annotations } });
    return NEXT;
  },

  excuse: async ({ apply, seen, action, event }) => {
    const { member } = action;
    // All that is said about its beginning is said again, or it would be taken back.
    const annotations = bootAnnotations(seen.form, { member, boot: "live", peers: [], isExcused: true });
    event("Warning", "MemberExcused", `${member} may start without comparing its data first: ${action.why}`);
    await apply(Pod, member, { metadata: { annotations } });
    return NEXT;
  },

  "delete-volume": async ({ remove, action, event }) => {
    event("Normal", "VolumeDeleted", `the volume of ${action.member} is deleted: ${action.why}`);
    await remove(PersistentVolumeClaim, claimName(action.member));
    return NEXT;
  },

  "add-learner": async (turn) => {
    const { seen, action, event } = turn;
    const peerURLs = [peerUrl(seen.form.place, action.member)];
    await changeMembers(turn, (members) => members.add({ peerURLs, isLearner: true }), [
      "MemberExists",
      "TooManyLearners",
    ]);
    event("Normal", "MemberAdded", `${action.member} joins as a learner`);
    return NEXT;
  },

  promote: async (turn) => {
    // Whoever asks too late does no harm: etcd itself knows whether this very learner has caught up.
    turn.signal.throwIfAborted();
    const isDone = await ask(() => spokesman(turn).members.promote(turn.action.id), ["NotLearner", "LearnerNotReady"]);
    if (!isDone) return requeue("1s", { reason: `${turn.action.member} has yet to catch up` });
    turn.event("Normal", "MemberPromoted", `${turn.action.member} votes`);
    return NEXT;
  },

  "move-leader": async ({ seen, action, event, signal }) => {
    const { from, to, why } = action;
    signal.throwIfAborted();
    const target = seen.membership.members.find(({ member }) => member === to)?.id ?? "";
    await ask(async () => await seen.reach.to(from)?.maintenance.moveLeader(target), ["NotLeader"]);
    event("Normal", "LeaderMoved", `${to} leads instead of ${from}: ${why}`);
    return NEXT;
  },

  "remove-member": async (turn) => {
    const { action, event } = turn;
    await changeMembers(turn, (members) => members.remove(action.id), ["MemberNotFound"]);
    event("Normal", "MemberRemoved", `${action.member} is removed: ${action.why}`);
    return NEXT;
  },

  "advance-log": async (turn) => {
    turn.signal.throwIfAborted();
    const client = spokesman(turn);
    const { raftIndex } = await client.maintenance.status();
    let left = Math.min(ENTRIES_A_TURN, Math.max(0, turn.action.upTo - raftIndex)) / 2;
    // A lease that comes and goes is two entries and no key.
    const grow = async (): Promise<void> => {
      while (left-- > 0) await client.leases.revoke((await client.leases.grant(60)).id);
    };
    await ask(() => Promise.all(Array.from({ length: ENTRIES_AT_ONCE }, grow)), []);
    return requeue("1s", { reason: "the log grows past a snapshot" });
  },

  disarm: async (turn) => {
    turn.signal.throwIfAborted();
    await ask(() => spokesman(turn).maintenance.disarm({ memberId: turn.action.id, kind: "Corrupt" }), []);
    return NEXT;
  },

  "take-snapshot": async ({ create, find, remove, seen, action, event }) => {
    const { backup } = seen.object.spec;
    if (backup === undefined) return NEXT;
    const isRepeated = action.reason === "SnapshotBeforeUpdate";
    const isOld = (name: string): boolean => isRepeated && name !== action.name && name in seen.safeguards;
    // Only the records go: what is in the store stays there, as long as the policy keeps it.
    for (const { metadata } of find(EtcdBackup)) if (isOld(metadata.name)) await remove(EtcdBackup, metadata.name);
    const { schedule: _schedule, retention: _retention, ...form } = backup;
    const labels = { ...clusterLabels(seen.name), [GUARD_LABEL]: action.label };
    await create(EtcdBackup, action.name, { metadata: { labels }, spec: { cluster: seen.name, ...form } });
    event("Normal", action.reason, `a backup is made ${action.why}`);
    return NEXT;
  },

  "note-update": ({ status, action, event }) => {
    const { update, note } = action;
    status.update = update && { ...update, began: formatTimestamp(update.began) };
    event(
      update?.failed === undefined ? "Normal" : "Warning",
      update?.failed === undefined ? "Update" : "UpdateFailed",
      note,
    );
    return NEXT;
  },

  "note-form": ({ status, seen, action, event }) => {
    status.formFailed = { form: seen.wanted.form, why: action.why, at: formatTimestamp(seen.now) };
    event("Warning", "FormFailed", action.why);
    return NEXT;
  },

  "note-recovery": ({ status, seen, action, event }) => {
    const { phase, reason, mayBeLost } = action.recovery;
    status.forks = forksAfter(seen.object.status, action.recovery);
    status.recovery = recoveryRecord(seen, action.recovery);
    const isWarning = phase === "Stopping" || phase === "Returning";
    const loss = phase === "Stopping" ? `; may be lost: ${mayBeLost}` : "";
    event(isWarning ? "Warning" : "Normal", `Recovery${phase}`, `${reason}${loss}`);
    return NEXT;
  },
};

/** Members write what comes together to disk together. */
const ENTRIES_AT_ONCE = 100;

/** So much fits into a turn on a slow disk. */
const ENTRIES_A_TURN = 2_000;

/**
 * Adds or removes a member. etcd does not know which operator leads, the API server does: the step is written down there first, which only
 * the leader can do, and only on the very object that it decided by. Each change names its member by id or address, so one that was made
 * already is refused and does no harm.
 */
async function changeMembers(
  turn: Turn<"add-learner" | "remove-member">,
  change: (members: EtcdClient["members"]) => Promise<unknown>,
  mild: readonly EtcdError["code"][],
): Promise<void> {
  const { step, action, seen, signal } = turn;
  const input = { action: action.do, member: action.member, among: seen.membership.members.map(({ id }) => id) };
  const make = (): Promise<boolean> => ask(() => change(spokesman(turn).members), mild);
  let hasAsked = false;
  const askOnce = async (): Promise<void> => {
    hasAsked = true;
    await make();
  };
  await step("members", askOnce, { input });
  signal.throwIfAborted();
  // Done before among the same members, and to be done again: etcd went back to older data.
  if (!hasAsked) await make();
}

/** Asks etcd for a change. Some refusals say that it is done or not yet time; the next look at the world tells which. */
async function ask(change: () => Promise<unknown>, mild: readonly EtcdError["code"][]): Promise<boolean> {
  try {
    await change();
    return true;
  } catch (error) {
    if (error instanceof EtcdError && mild.includes(error.code)) return false;
    throw error;
  }
}
