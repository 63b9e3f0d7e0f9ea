/** One handler for each action. Each does one thing that can be repeated, so that a reconcile after a crash can continue. */
import { requeue } from "capstan";
import { PersistentVolumeClaim, Pod } from "capstan/kinds/v1";
import type { Action } from "../contract.ts";
import { EtcdError } from "../etcd/index.ts";
import type { EtcdClient } from "../etcd/index.ts";
import { forksAfter } from "capstan/stateful/quorum";
import { EtcdBackup } from "../kinds/index.ts";
import { bootAnnotations, claimName, clusterLabels, snapshotLabel, peerUrl } from "../pods/index.ts";
import { formatTimestamp } from "../timestamp.ts";
import { maintain } from "./maintenance.ts";
import { recordLastGoodTemplate, startMember, dryRunTemplate } from "./pod-template.ts";
import { servesLabels } from "./serve-clients.ts";
import { isRejection } from "./rejected-step.ts";
import { applyVolume } from "./apply-shared-objects.ts";
import { recoveryRecord } from "./recovery-record.ts";
import { leaderClient } from "./reconcile-context.ts";
import type { Handler, ActionContext } from "./reconcile-context.ts";

const nextStep = requeue("500ms", { reason: "one step at a time" });

/** Complete: the type requires a handler for every action. */
export const handlers: { readonly [D in Action["do"]]: Handler<D> } = {
  rest: async (context, environment) => {
    await recordLastGoodTemplate(context);
    const isBusy = await maintain(context, environment);
    return isBusy ? nextStep : requeue("30s", { reason: "all is well" });
  },

  wait: ({ action }) => requeue("2s", { reason: `waiting for ${action.for}` }),

  refuse: ({ action, event }) => {
    event("Warning", action.reason, action.why);
    return requeue("15s", { reason: action.why });
  },

  "create-volume": async (context) => {
    await applyVolume(context, context.action.member);
    return nextStep;
  },

  "grow-volume": async (context) => {
    const { member } = context.action;
    try {
      await applyVolume(context, member);
      context.status.growthRefused = undefined;
      context.event("Normal", "VolumeGrows", `the volume of ${member} grows`);
    } catch (error) {
      if (!isRejection(error)) throw error;
      context.status.growthRefused = { why: error.message, at: formatTimestamp(context.seen.now) };
      context.event("Warning", "VolumeRejected", `the volume of ${member} does not grow: ${error.message}`);
    }
    return nextStep;
  },

  "create-pod": async (context, { seedParts }) => {
    const { action, event } = context;
    const { member, boot, version, form } = action;
    await startMember(context, boot === "seed-backup" ? seedParts(context, member, version) : undefined);
    const how = form === undefined ? boot : `${boot}, in the last good form`;
    event("Normal", "MemberStarted", `${member} starts with etcd ${version} (${how})`);
    return nextStep;
  },

  "delete-pod": async (context) => {
    const { remove, action, event } = context;
    if (action.next !== undefined) await dryRunTemplate(context, action.member, action.next);
    event("Normal", "MemberStopped", `${action.member} is stopped: ${action.why}`);
    await remove(Pod, action.member);
    return nextStep;
  },

  wean: async ({ apply, seen, action }) => {
    const { member } = action;
    const annotations = bootAnnotations(seen.template, { member, boot: "live", peers: [] });
    await apply(Pod, member, { metadata: { labels: servesLabels(seen, member), annotations } });
    return nextStep;
  },

  excuse: async ({ apply, seen, action, event }) => {
    const { member } = action;
    // Server-side apply removes omitted annotations, so all bootstrap annotations are applied again.
    const annotations = bootAnnotations(seen.template, { member, boot: "live", peers: [], isExcused: true });
    event("Warning", "InitialCheckSkipped", `${member} may start without comparing its data first: ${action.why}`);
    await apply(Pod, member, { metadata: { labels: servesLabels(seen, member), annotations } });
    return nextStep;
  },

  "delete-volume": async ({ remove, action, event }) => {
    event("Normal", "VolumeDeleted", `the volume of ${action.member} is deleted: ${action.why}`);
    await remove(PersistentVolumeClaim, claimName(action.member));
    return nextStep;
  },

  "add-learner": async (context) => {
    const { seen, action, event } = context;
    const peerURLs = [peerUrl(seen.template.place, action.member)];
    await changeMembers(context, (members) => members.add({ peerURLs, isLearner: true }), [
      "MemberExists",
      "TooManyLearners",
    ]);
    event("Normal", "MemberAdded", `${action.member} joins as a learner`);
    return nextStep;
  },

  promote: async (context) => {
    // A late request does no harm: etcd itself checks whether this learner has caught up.
    context.signal.throwIfAborted();
    const isDone = await requestChange(
      () => leaderClient(context).members.promote(context.action.id),
      ["NotLearner", "LearnerNotReady"],
    );
    if (!isDone) return requeue("1s", { reason: `${context.action.member} has yet to catch up` });
    context.event("Normal", "MemberPromoted", `${context.action.member} votes`);
    return nextStep;
  },

  "move-leader": async ({ seen, action, event, signal }) => {
    const { from, to, why } = action;
    signal.throwIfAborted();
    const target = seen.membership.members.find(({ member }) => member === to)?.id ?? "";
    await requestChange(async () => await seen.clients.to(from)?.maintenance.moveLeader(target), ["NotLeader"]);
    event("Normal", "LeaderMoved", `${to} leads instead of ${from}: ${why}`);
    return nextStep;
  },

  "remove-member": async (context) => {
    const { action, event } = context;
    await changeMembers(context, (members) => members.remove(action.id), ["MemberNotFound"]);
    event("Normal", "MemberRemoved", `${action.member} is removed: ${action.why}`);
    return nextStep;
  },

  "advance-log": async (context) => {
    context.signal.throwIfAborted();
    const client = leaderClient(context);
    const { raftIndex } = await client.maintenance.status();
    let left = Math.min(entriesPerReconcile, Math.max(0, context.action.upTo - raftIndex)) / 2;
    // Granting and revoking a lease writes two raft entries and no key.
    const grow = async (): Promise<void> => {
      while (left-- > 0) await client.leases.revoke((await client.leases.grant(60)).id);
    };
    await requestChange(() => Promise.all(Array.from({ length: entriesPerRequest }, grow)), []);
    return requeue("1s", { reason: "the log grows past a snapshot" });
  },

  disarm: async (context) => {
    context.signal.throwIfAborted();
    await requestChange(
      () => leaderClient(context).maintenance.disarm({ memberId: context.action.id, kind: "Corrupt" }),
      [],
    );
    return nextStep;
  },

  "take-snapshot": async ({ create, find, remove, seen, action, event }) => {
    const { backup } = seen.object.spec;
    if (backup === undefined) return nextStep;
    const isRepeated = action.reason === "SnapshotBeforeUpdate";
    const isOld = (name: string): boolean => isRepeated && name !== action.name && name in seen.snapshots;
    // Removes the EtcdBackup objects only. Their content stays in the store as long as the retention keeps it.
    for (const { metadata } of find(EtcdBackup)) if (isOld(metadata.name)) await remove(EtcdBackup, metadata.name);
    const { schedule: _schedule, retention: _retention, ...template } = backup;
    const labels = { ...clusterLabels(seen.name), [snapshotLabel]: action.label };
    await create(EtcdBackup, action.name, { metadata: { labels }, spec: { cluster: seen.name, ...template } });
    event("Normal", action.reason, `a backup is made ${action.why}`);
    return nextStep;
  },

  "note-update": ({ status, action, event }) => {
    const { update, note } = action;
    status.update = update && { ...update, began: formatTimestamp(update.began) };
    event(
      update?.failed === undefined ? "Normal" : "Warning",
      update?.failed === undefined ? "Update" : "UpdateFailed",
      note,
    );
    return nextStep;
  },

  "note-form": ({ status, seen, action, event }) => {
    status.formFailed = { form: seen.desired.templateDigest, why: action.why, at: formatTimestamp(seen.now) };
    event("Warning", "TemplateFailed", action.why);
    return nextStep;
  },

  "note-recovery": ({ status, seen, action, event }) => {
    const { phase, reason, mayBeLost } = action.recovery;
    status.forks = forksAfter(seen.object.status, action.recovery);
    status.recovery = recoveryRecord(seen, action.recovery);
    const isWarning = phase === "Stopping" || phase === "Returning";
    const loss = phase === "Stopping" ? `; may be lost: ${mayBeLost}` : "";
    event(isWarning ? "Warning" : "Normal", `Recovery${phase}`, `${reason}${loss}`);
    return nextStep;
  },
};

/** Concurrent requests share one write to disk. */
const entriesPerRequest = 100;

/** As many as one reconcile can write on a slow disk. */
const entriesPerReconcile = 2_000;

/**
 * Adds or removes a member. etcd does not know which replica of the operator leads, so the step is recorded in the API server first: only
 * the leader can do that, and only at the resourceVersion that it decided on. Each change names its member by id or address, so a
 * repeated change is rejected and does no harm.
 */
async function changeMembers(
  context: ActionContext<"add-learner" | "remove-member">,
  change: (members: EtcdClient["members"]) => Promise<unknown>,
  mild: readonly EtcdError["code"][],
): Promise<void> {
  const { step, action, seen, signal } = context;
  const input = { action: action.do, member: action.member, among: seen.membership.members.map(({ id }) => id) };
  const make = (): Promise<boolean> => requestChange(() => change(leaderClient(context).members), mild);
  let hasAsked = false;
  const askOnce = async (): Promise<void> => {
    hasAsked = true;
    await make();
  };
  await step("members", askOnce, { input });
  signal.throwIfAborted();
  // The step was recorded before with the same members: etcd was reset to older data, so the change is needed again.
  if (!hasAsked) await make();
}

/** Requests a change from etcd. Some errors mean that it is done already or too early; the next reconcile observes which. */
async function requestChange(change: () => Promise<unknown>, mild: readonly EtcdError["code"][]): Promise<boolean> {
  try {
    await change();
    return true;
  } catch (error) {
    if (error instanceof EtcdError && mild.includes(error.code)) return false;
    throw error;
  }
}
