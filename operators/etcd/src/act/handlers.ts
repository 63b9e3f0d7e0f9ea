/** One handler an action. Each does one thing that can be repeated: whoever dies in between finds its traces and goes on. */
import { again, Retry } from "capstan";
import { PersistentVolumeClaim, Pod } from "capstan/kinds/v1";
import type { Action } from "../contract.ts";
import { EtcdError } from "../etcd/index.ts";
import { EtcdBackup } from "../kinds/index.ts";
import { GUARD_LABEL } from "../observe/index.ts";
import { bootAnnotations, buildPod, claimName, clusterLabels, peerUrl } from "../pods/index.ts";
import { formatTimestamp } from "../timestamp.ts";
import { care } from "./care.ts";
import { isRefusal } from "./obstacle.ts";
import { applyVolume, tryForm } from "./provide.ts";
import { recoveryRecord } from "./recovery-record.ts";
import { spokesman } from "./turn.ts";
import type { Handler } from "./turn.ts";

const NEXT = again("500ms", "one step at a time");

/** Exhaustive by type. */
export const HANDLERS: { readonly [D in Action["do"]]: Handler<D> } = {
  rest: async (turn, means) => {
    const isBusy = await care(turn, means);
    return isBusy ? NEXT : again("30s", "all is well");
  },

  wait: ({ action }) => again("2s", `waiting for ${action.for}`),

  refuse: ({ action, event }) => {
    event("Warning", action.reason, action.why);
    return again("15s", action.why);
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
    const { create, seen, action, event } = turn;
    const { member, boot, version } = action;
    const peers = seen.membership.members.map((listed) => listed.member);
    const seed = boot === "seed-backup" ? { seed: seedParts(turn, member, version) } : {};
    await create(Pod, member, buildPod(seen.form, { member, boot, version, peers, ...seed }));
    event("Normal", "MemberStarted", `${member} starts with etcd ${version} (${boot})`);
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

  "delete-volume": async ({ remove, action, event }) => {
    event("Normal", "VolumeDeleted", `the volume of ${action.member} is deleted: ${action.why}`);
    await remove(PersistentVolumeClaim, claimName(action.member));
    return NEXT;
  },

  "add-learner": async (turn) => {
    const { seen, action, event } = turn;
    await ask(
      () => spokesman(turn).members.add({ peerURLs: [peerUrl(seen.form.place, action.member)], isLearner: true }),
      ["MemberExists", "TooManyLearners"],
    );
    event("Normal", "MemberAdded", `${action.member} joins as a learner`);
    return NEXT;
  },

  promote: async (turn) => {
    const isDone = await ask(() => spokesman(turn).members.promote(turn.action.id), ["NotLearner", "LearnerNotReady"]);
    if (!isDone) return again("1s", `${turn.action.member} has yet to catch up`);
    turn.event("Normal", "MemberPromoted", `${turn.action.member} votes`);
    return NEXT;
  },

  "move-leader": async ({ seen, action, event }) => {
    const { from, to, why } = action;
    const target = seen.membership.members.find(({ member }) => member === to)?.id ?? "";
    await ask(async () => await seen.reach.to(from)?.maintenance.moveLeader(target), ["NotLeader"]);
    event("Normal", "LeaderMoved", `${to} leads instead of ${from}: ${why}`);
    return NEXT;
  },

  "remove-member": async (turn) => {
    const { action, event } = turn;
    await ask(() => spokesman(turn).members.remove(action.id), ["MemberNotFound"]);
    event("Normal", "MemberRemoved", `${action.member} is removed: ${action.why}`);
    return NEXT;
  },

  "advance-log": async (turn) => {
    const client = spokesman(turn);
    const { raftIndex } = await client.maintenance.status();
    let left = Math.min(ENTRIES_A_TURN, Math.max(0, turn.action.upTo - raftIndex)) / 2;
    // A lease that comes and goes is two entries and no key.
    const grow = async (): Promise<void> => {
      while (left-- > 0) await client.leases.revoke((await client.leases.grant(60)).id);
    };
    await ask(() => Promise.all(Array.from({ length: ENTRIES_AT_ONCE }, grow)), []);
    return again("1s", "the log grows past a snapshot");
  },

  disarm: async (turn) => {
    await ask(() => spokesman(turn).maintenance.disarm({ memberId: turn.action.id, kind: "Corrupt" }), []);
    return NEXT;
  },

  "take-snapshot": async ({ create, find, remove, seen, action, event }) => {
    const { backup } = seen.object.spec;
    if (backup === undefined) return NEXT;
    const isOld = (name: string): boolean => name !== action.name && name in seen.safeguards;
    // Only the records go: what is in the store stays there, as long as the policy keeps it.
    for (const { metadata } of find(EtcdBackup)) if (isOld(metadata.name)) await remove(EtcdBackup, metadata.name);
    const { schedule: _schedule, retention: _retention, ...form } = backup;
    const labels = { ...clusterLabels(seen.name), [GUARD_LABEL]: action.to };
    await create(EtcdBackup, action.name, { metadata: { labels }, spec: { cluster: seen.name, ...form } });
    event("Normal", "SnapshotBeforeUpdate", `a backup is made before members go to ${action.to}`);
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

  "note-recovery": ({ status, seen, action, event }) => {
    const { phase, reason, mayBeLost } = action.recovery;
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

/** Asks etcd for a change. Some refusals say that it is done or not yet time; the next look at the world tells which. */
async function ask(change: () => Promise<unknown>, mild: readonly EtcdError["code"][]): Promise<boolean> {
  try {
    await change();
    return true;
  } catch (error) {
    if (!(error instanceof EtcdError)) throw error;
    if (mild.includes(error.code)) return false;
    throw new Retry(error.message, { after: "2s", cause: error });
  }
}
