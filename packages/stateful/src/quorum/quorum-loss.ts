/** Quorum loss: recreates all members with data, and decides whether the others are lost permanently. */
import type { Action } from "./contract.ts";
import { backUpLearner } from "./learner.ts";
import { hasOldTemplate, versionFor } from "./target-version.ts";
import { quorumOf } from "./view.ts";
import { newerBackup, listSkipped, skippedBefore, restoreNewerBackup } from "./newer-backup.ts";
import type { Member, View } from "./view.ts";
import { skipInitialCheck } from "./skip-initial-check.ts";
import { withArticle } from "./with-article.ts";

/** Recreates the pod of every volume. This cannot create a second cluster: pods continue with their data, or fail. */
export function recreateMembersWithData(view: View): Action | undefined {
  const { seen } = view;
  for (const volume of seen.volumes) {
    const pod = seen.pods.find(({ member }) => member === volume.member);
    const version = versionFor(view, volume.member);
    if (pod === undefined && volume.state !== "stopping" && volume.state !== "lost") {
      return { do: "create-pod", member: volume.member, boot: "live", version };
    }
    // A volume that is being deleted exists as long as its pod. It may be the last copy.
    if (pod === undefined || pod.state === "stopping" || volume.state === "stopping") continue;
    if (pod.state === "ended") return { do: "delete-pod", member: pod.member, why: "it ended" };
    const why = "it does not serve and another form is wanted";
    if (hasOldTemplate(seen, pod, version)) return { do: "delete-pod", member: pod.member, why, next: version };
  }
  return undefined;
}

/** Waits as long as the members may recover by themselves. */
export function decideWithoutQuorum(view: View): Action {
  const { voters } = view;
  const need = quorumOf(voters.length);
  const serving = voters.filter((voter) => voter.pod?.isReady === true && !isForeign(view, voter));
  // The kubelets report a quorum: the operator is cut off, not the members.
  if (serving.length >= need) return { do: "wait", for: "a way to the members, which serve without us" };
  const survivors = voters.filter((voter) => !isGone(voter));
  if (survivors.length >= need) return waitForMembers(view, survivors, need);
  return decideRecoverySource(view, survivors);
}

/** Its data is lost permanently. A process that cannot start proves nothing: its disk may be full, and its data may be the newest. */
function isGone({ ruin, volume }: Member): boolean {
  return ruin !== undefined || volume === undefined;
}

/** It responds as a member of another cluster: its volume was swapped or reset to an earlier state. */
function isForeign({ seen }: View, { talk }: Member): boolean {
  return (
    talk !== undefined && seen.recordedState.clusterId !== undefined && talk.clusterId !== seen.recordedState.clusterId
  );
}

/** It has a volume but could not start for so long that the user has to look. */
function isStuck({ seen }: View, { pod, talk }: Member): boolean {
  if (pod === undefined || pod.isReady || !pod.isContainerDown || talk !== undefined) return false;
  return seen.now - pod.since >= seen.desired.replaceAfter;
}

/** A responding member with other data may stop the others from starting. A quorum is needed to find the majority. */
function skipCheckOfStuck(view: View, stuck: readonly Member[]): Action | undefined {
  const isAnswered = view.voters.some((voter) => voter.talk !== undefined && !isGone(voter));
  return isAnswered ? skipInitialCheck(stuck, "it does not start, and its data may differ from what is up") : undefined;
}

/** Only a human can decide whether its data matters. The message explains why it does not start, and both options. */
function refuseStuck(stuck: readonly Member[]): Action {
  const names = stuck.map(({ name }) => name).join(", ");
  const [first = ""] = stuck.map(({ name }) => name);
  const reasons = stuck.map(
    ({ name, pod }) => `${name} does not start${pod?.startFailure ? `: ${pod.startFailure}` : ""}`,
  );
  return refuse(
    `${reasons.join("; ")}. Volumes are there, so nothing is put in the place of their data: mend what keeps ${names} from starting (memory, a full disk, the image; see the log), or, only if the data of one is known to be lost, delete its volume and its pod (data-${first}, ${first})`,
  );
}

function waitForMembers(view: View, survivors: readonly Member[], need: number): Action {
  const { seen } = view;
  const away = survivors.filter(({ pod }) => pod?.isNodeLost === true);
  if (away.length > 0 && survivors.length - away.length < need) {
    const names = away.map(({ name }) => name).join(", ");
    const why = `${names} may still run on a node that does not report: bring the node back, or delete the volumes data-${names.replaceAll(", ", ", data-")} if it is gone for good`;
    return { do: "refuse", reason: "QuorumLost", why };
  }
  const stuck = survivors.filter((member) => isStuck(view, member));
  if (survivors.length - stuck.length < need) return skipCheckOfStuck(view, stuck) ?? refuseStuck(stuck);
  const starting = survivors.filter(({ pod }) => pod?.isReady !== true).map(({ name }) => name);
  return { do: "wait", for: `${starting.join(", ") || seen.name} to come back` };
}

/** The majority is lost permanently. Continues with the surviving data, if that is certain and allowed. */
function decideRecoverySource(view: View, survivors: readonly Member[]): Action {
  const { seen, voters } = view;
  const gone = voters.filter((voter) => !survivors.includes(voter));
  // A member that may still run could be part of a quorum that the operator does not see.
  const doubt = seen.pods.find(({ isNodeLost }) => isNodeLost);
  const names = gone.map(({ name }) => name).join(", ");
  if (doubt !== undefined) {
    return refuse(
      `the data of ${names} is gone, but ${doubt.member} may still run on a node that does not report: bring the node back, or delete the node and the pod if it is gone for good`,
    );
  }
  const torn = gone.find(({ isCorrupt }) => isCorrupt);
  if (torn !== undefined) return refuseDisagreement(`${torn.name} says that its data is corrupt`);
  // Intact data of another cluster may be there on purpose. It is not replaced by a backup automatically.
  const strangers = survivors.length > 0 ? [] : gone.filter((member) => isForeign(view, member));
  if (strangers.length > 0)
    return refuseDisagreement(`${namesOf(strangers)} serve data of another cluster, or of an earlier life of this one`);
  if (!seen.desired.recoversQuorum)
    return refuse(`the data of ${names} is gone, and spec.recovery.quorumLoss is Manual`);
  const hidden = view.learners.filter((learner) => learner.isStarted && learner.talk === undefined && !isGone(learner));
  if (hidden.length > 0) return skipCheckOfHidden(view, hidden);
  if (survivors.length > 0) return chooseSurvivor(view, survivors, names);
  return backUpLearner(view, names) ?? chooseBackup(view, names);
}

/** A learner may have been promoted since the last observation and have the newest data. Only the member itself can report that. */
function skipCheckOfHidden(view: View, hidden: readonly Member[]): Action {
  const stuck = hidden.filter((member) => isStuck(view, member));
  return stuck.length > 0 ? refuseStuck(stuck) : { do: "wait", for: `${namesOf(hidden)} to tell whether it votes` };
}

function chooseSurvivor(view: View, survivors: readonly Member[], gone: string): Action {
  const stuck = survivors.filter((member) => isStuck(view, member));
  if (stuck.length > 0) return refuseStuck(stuck);
  const silent = survivors.find(({ talk }) => talk === undefined);
  if (silent !== undefined) return { do: "wait", for: `${silent.name} to tell what it has` };
  const behind = survivors.find(({ talk }) => talk !== undefined && talk.applied < talk.raftIndex);
  if (behind !== undefined) return { do: "wait", for: `${behind.name} to take in all that it knows to be agreed on` };
  const withoutHash = survivors.filter(({ name }) => view.seen.withoutHash?.includes(name) === true);
  if (withoutHash.length > 0) return waitForHashes(view, namesOf(withoutHash), gone);
  const torn = survivors.find(({ name }) => view.seen.differing.includes(name));
  if (torn !== undefined) {
    return refuseDisagreement(`the data of ${gone} is gone, and what is left differs`);
  }
  const [best] = survivors.toSorted(newestFirst);
  return best?.talk === undefined
    ? { do: "wait", for: "survivors" }
    : recoverFromSurvivor(view, { ...best, talk: best.talk }, gone);
}

type Newest = Member & { readonly talk: NonNullable<Member["talk"]> };

/** Recovers from the newest survivor, or from a backup with a higher revision. */
function recoverFromSurvivor(view: View, { name, talk, volume }: Newest, gone: string): Action {
  const { revision, raftIndex } = talk;
  const later = newerBackup(view.seen, revision);
  // Its data is deleted with its pod. If the backup were unusable, nothing would be left.
  if (volume?.state === "stopping") {
    return refuse(
      `the data of ${gone} is gone, and the newest copy that is left is on the volume of ${name}, which is being deleted as soon as the pod ends: save a snapshot from it now and restore that${later?.sentence ?? ""}`,
    );
  }
  if (later?.isTaken === true) return restoreNewerBackup(view.seen, { name, revision, gone });
  const recovery = {
    phase: "Stopping",
    source: "Member",
    member: name,
    ...skippedBefore(view.seen),
    revision,
    mayBeLost: `writes after revision ${revision}: those that only ${gone} had, and the last that ${name} had not yet seen agreed on${later?.sentence ?? ""}`,
    reason: `the data of ${gone} is gone for good; ${name} has the newest that is left (revision ${revision}, log agreed on up to ${raftIndex})`,
  } as const;
  return { do: "note-recovery", recovery };
}

/** The newest survivor is not used while its data may differ. After a while the refusal explains that, and the options. */
function waitForHashes({ seen }: View, names: string, gone: string): Action {
  const { name, now, withoutHashSince = now, desired, application } = seen;
  if (now - withoutHashSince < desired.replaceAfter)
    return { do: "wait", for: `the data of ${names} to be compared with that of the others` };
  const volumes = `data-${names.replaceAll(", ", ", data-")}`;
  return refuse(
    `the data of ${gone} is gone, and ${names} gives no hash of its data, so it is unknown whether those that are left have the same: mend what keeps ${names} from answering (it is asked again, at first every minute and at last every half hour), or put a backup in the place of all data (${withArticle(application.kinds.restore)} with spec.overwrite: ${name}), or, only if the data of ${names} is known to be worse, delete its volume and its pod (${volumes}, ${names})`,
  );
}

/**
 * Orders by committed index of the log, then by revision. Committed entries are the same for all members, so a longer log contains a shorter
 * one; the revision shows only how many of them are applied. The term means nothing: an isolated member may have increased it alone.
 */
export function newestFirst(one: Survivor, other: Survivor): number {
  const [left, right] = [one.talk, other.talk];
  if (left === undefined || right === undefined) return 0;
  const isNewer = right.raftIndex - left.raftIndex || right.revision - left.revision;
  return isNewer || Number(one.volume?.state === "stopping") - Number(other.volume?.state === "stopping");
}

type Survivor = {
  readonly talk: Pick<NonNullable<Member["talk"]>, "revision" | "raftIndex"> | undefined;
  readonly volume: Pick<NonNullable<Member["volume"]>, "state"> | undefined;
};

function chooseBackup({ seen }: View, gone: string): Action {
  if (!seen.desired.recoversFromBackup)
    return refuse(`the data of ${gone} is gone, and spec.recovery.fromBackup is false`);
  if (seen.newestBackup === undefined) return refuse(`the data of ${gone} is gone, and ${describeMissingBackup(seen)}`);
  // The newest backup is unusable. Whether to restore an older one is the user's decision.
  const { skipped = [] } = skippedBefore(seen);
  if (skipped.length > 0)
    return refuse(
      `the data of ${gone} is gone, and so is the use of ${listSkipped(skipped)}: make ${withArticle(seen.application.kinds.restore)} that names a backup, such as ${seen.newestBackup}, with spec.overwrite: ${seen.name}`,
    );
  const recovery = {
    phase: "Stopping",
    source: "Backup",
    mayBeLost: `writes after the backup ${seen.newestBackup}`,
    reason: `the data of ${gone} is gone for good; the newest backup is ${seen.newestBackup}`,
  } as const;
  return { do: "note-recovery", recovery };
}

interface MissingBackup extends Pick<View["seen"], "application" | "name" | "backupsOfEarlierCluster"> {
  readonly known?: View["seen"]["recordedState"];
}

/** Only the user can decide whether to restore a backup of an earlier cluster with the same name. */
export function describeMissingBackup(missing: MissingBackup): string {
  const { application, name, backupsOfEarlierCluster = 0, known } = missing;
  const restore = withArticle(application.kinds.restore);
  const { skipped = [] } = known === undefined ? {} : skippedBefore({ recordedState: known });
  if (skipped.length > 0)
    return `no backup is left but ${listSkipped(skipped)}: mend that, or make ${restore} that names one, with spec.overwrite: ${name}`;
  if (backupsOfEarlierCluster === 0) return "there is no backup";
  return `there is no backup of this cluster, but ${backupsOfEarlierCluster} of an earlier one of its name: to take one of those, make ${restore} that names it with spec.overwrite: ${name}`;
}

function namesOf(members: readonly Member[]): string {
  return members.map(({ name }) => name).join(", ");
}

function refuse(why: string): Action {
  return { do: "refuse", reason: "QuorumLost", why };
}

function refuseDisagreement(what: string): Action {
  const why = `${what}: restore a backup, or delete the volumes of those whose data is wrong`;
  return { do: "refuse", reason: "DataDiffers", why };
}
