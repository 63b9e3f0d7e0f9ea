/** Converts spec and status to the types of the contract. */
import type { ObjectOf } from "capstan";
import type { ComparisonResult, DataComparison, RecordedSightings } from "capstan/stateful/quorum";
import type { SurvivorComparison } from "capstan/stateful/quorum";
import type { RecordedState, RecordedRecovery, RecordedUpdate, ListedMember, DesiredState } from "../contract.ts";
import { parseDuration } from "../duration.ts";
import type { EtcdCluster } from "../kinds/index.ts";
import { digestTemplate, PROFILES, templateHashOf, quotaOf, toBytes } from "../pods/index.ts";
import type { PodTemplateInput } from "../pods/index.ts";
import { newestPatches, resolveVersion } from "./versions.ts";

export type ClusterObject = ObjectOf<typeof EtcdCluster>;
export type ClusterStatus = NonNullable<ClusterObject["status"]>;

/** etcd's default since 3.6. */
const defaultSnapshotCount = 10_000;

export function desiredStateOf(
  { spec, metadata }: ClusterObject,
  template: PodTemplateInput,
  replacing: Pick<DesiredState, "replace" | "overridden">,
): DesiredState {
  const { update, recovery, storage, profile } = spec;
  return {
    size: spec.size,
    version: resolveVersion(spec.version),
    generation: metadata.generation ?? 0,
    isPaused: spec.paused,
    volumeBytes: toBytes(storage.size ?? PROFILES[profile].storage),
    quota: quotaOf(spec),
    patches: newestPatches,
    snapshotCount: countOf(spec.options["snapshot-count"]),
    updateDeadline: parseDuration(update.deadline),
    rollsBackUpdates: update.rollBack,
    hasStore: spec.backup !== undefined,
    safeguard: !update.snapshot ? "unwanted" : spec.backup === undefined ? "storeless" : "backup",
    recoversQuorum: recovery.quorumLoss === "Automatic",
    recoversFromBackup: recovery.fromBackup,
    replaceAfter: parseDuration(recovery.replaceAfter),
    bootstrapsFromBackup: spec.bootstrap !== undefined,
    ...replacing,
    templateDigest: digestTemplate(template),
    templateHashFor: (version) => templateHashOf(template, version),
  };
}

/** With an invalid number the member does not start; an update must not wait for it. */
function countOf(flag = ""): number {
  return /^\d+$/u.test(flag) ? Number(flag) : defaultSnapshotCount;
}

export function recordedStateOf(status: ClusterStatus = {}): RecordedState {
  const { clusterId, clusterVersion, serial = -1, update, recovery, members = [] } = status;
  const { growthRefused, formRefused, formFailed } = status;
  const versions = members.flatMap(({ name, podVersion, version }) => {
    const made = podVersion ?? version;
    return made === undefined ? [] : [[name, made]];
  });
  return {
    serial,
    versions: Object.fromEntries(versions),
    ...(clusterId === undefined ? {} : { clusterId }),
    ...(clusterVersion === undefined ? {} : { clusterVersion }),
    ...(update === undefined ? {} : { update: updateOf(update) }),
    ...(recovery === undefined ? {} : { recovery: recoveryOf(recovery) }),
    ...(growthRefused === undefined ? {} : { growthRejected: { ...growthRefused, at: Date.parse(growthRefused.at) } }),
    ...(formRefused === undefined ? {} : { templateRejected: { ...formRefused, at: Date.parse(formRefused.at) } }),
    ...(formFailed === undefined ? {} : { templateFailed: formFailed }),
  };
}

function updateOf(update: NonNullable<ClusterStatus["update"]>): RecordedUpdate {
  const { from, to, member, began, floor, snapshot, failed, failedGeneration } = update;
  return {
    from,
    to,
    began: Date.parse(began),
    ...(member === undefined ? {} : { member }),
    ...(floor === undefined ? {} : { floor }),
    ...(snapshot === undefined ? {} : { snapshot }),
    ...(failed === undefined ? {} : { failed }),
    ...(failedGeneration === undefined ? {} : { failedGeneration }),
  };
}

function recoveryOf(recovery: NonNullable<ClusterStatus["recovery"]>): RecordedRecovery {
  const { phase, source, member, restore, from, passed } = recovery;
  return {
    phase,
    ...(source === undefined ? {} : { source }),
    ...(member === undefined ? {} : { member }),
    ...(restore === undefined ? {} : { restore }),
    ...(from?.backup === undefined ? {} : { backup: from.backup }),
    ...(passed === undefined ? {} : { skipped: passed }),
  };
}

/** The recorded comparison, and the reasons that it does not cover. Older operators recorded no reasons: then all are open. */
export function recordedComparison({ comparison, uncompared, missed }: ClusterStatus = {}): ComparisonResult {
  return {
    ...(comparison && { comparison: comparisonOf(comparison) }),
    ...(missed && { missed: { ...missed, at: Date.parse(missed.at) } }),
    ...(uncompared && { uncompared: { ...uncompared, at: Date.parse(uncompared.at) } }),
  };
}

function comparisonOf({ since, ...found }: NonNullable<ClusterStatus["comparison"]>): DataComparison {
  return { ...found, at: Date.parse(found.at), ...(since !== undefined && { since: Date.parse(since) }) };
}

/** The recorded comparison of survivors of a quorum loss. */
export function recordedSurvivors({ survivors }: ClusterStatus = {}): SurvivorComparison | undefined {
  if (survivors === undefined) return undefined;
  const { at, unhashed, ...rest } = survivors;
  return { ...rest, withoutHash: unhashed, at: Date.parse(at) };
}

/** The recorded observations, with their start. */
export function recordedSightings({ watched = [] }: ClusterStatus = {}): readonly RecordedSightings[] {
  return watched.map(({ what, since, seen = 0 }) => ({ what, since: Date.parse(since), seen: seen * 1_000 }));
}

/** The members recorded at the last linearizable list. */
export function rememberedMembers({ members = [] }: ClusterStatus = {}): readonly ListedMember[] {
  return members.flatMap(({ name, id, role }) =>
    id === undefined
      ? []
      : [{ member: name, id, isStarted: role !== "Joining", isLearner: role === "Learner" || role === "Joining" }],
  );
}
