/** The annotations by which a Deployment and its ReplicaSets remember revisions and sizes. Pure. */
import type { Deployment, ReplicaSet } from "@capstan/kinds/apps/v1";
import type { ObjectMeta } from "@capstan/model";

export const REVISION = "deployment.kubernetes.io/revision";
const REVISION_HISTORY = "deployment.kubernetes.io/revision-history";
export const DESIRED_REPLICAS = "deployment.kubernetes.io/desired-replicas";
export const MAX_REPLICAS = "deployment.kubernetes.io/max-replicas";
/** Asks for a rollback to a revision; 0 is the one before. */
export const ROLLBACK_TO = "deprecated.deployment.rollback.to";

type Annotations = { readonly [name: string]: string };

/** What belongs to one object only and is not handed on. */
const ownAnnotations: ReadonlySet<string> = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  REVISION,
  REVISION_HISTORY,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
  ROLLBACK_TO,
]);

/** The revision that an object stands for; 0 when it says none. Revisions have 64 bits. */
export function revisionOf({ metadata }: { readonly metadata: ObjectMeta }): bigint {
  const text = metadata.annotations?.[REVISION] ?? "";
  return /^\d+$/u.test(text) ? BigInt(text) : 0n;
}

/** A count that a set remembers. */
export function readCount({ metadata }: ReplicaSet, name: string): number | undefined {
  const text = metadata.annotations?.[name];
  return text !== undefined && /^\d+$/u.test(text) && Number(text) <= 2 ** 31 - 1 ? Number(text) : undefined;
}

/** The highest revision of sets. */
export function highestRevision(sets: readonly ReplicaSet[]): bigint {
  return sets.map(revisionOf).reduce((most, revision) => (revision > most ? revision : most), 0n);
}

/** The highest revision but one. */
export function previousRevision(sets: readonly ReplicaSet[]): bigint {
  return sets.map(revisionOf).sort((a, b) => Number(b - a))[1] ?? 0n;
}

/** The annotations of the newest set: those of the deployment, and a revision above all others. */
export function newReplicaSetAnnotations(deployment: Deployment, current: Annotations, revision: bigint): Annotations {
  const annotations: { [name: string]: string } = { ...current, ...copiedAnnotations(deployment.metadata.annotations) };
  const text = current[REVISION];
  if (text !== undefined && !/^\d+$/u.test(text)) return annotations;
  if (BigInt(text ?? 0) >= revision) return annotations;
  annotations[REVISION] = String(revision);
  if (text !== undefined) annotations[REVISION_HISTORY] = withRevision(current[REVISION_HISTORY], text);
  return annotations;
}

/** The history of revisions must not outgrow an annotation. */
const HISTORY_LENGTH = 2000;

function withRevision(history: string | undefined, revision: string): string {
  const revisions = history === undefined || history === "" ? [] : history.split(",");
  revisions.push(revision);
  while (revisions.length > 1 && revisions.join(",").length > HISTORY_LENGTH) revisions.shift();
  return revisions.join(",");
}

/** The sizes that a set remembers, to share later changes fairly. */
export function replicasAnnotations(wanted: number, most: number): Annotations {
  return { [DESIRED_REPLICAS]: String(wanted), [MAX_REPLICAS]: String(most) };
}

/** The annotations of a deployment that returns to the template of a set. */
export function annotationsAfterRollback(deployment: Deployment, set: ReplicaSet): Annotations {
  const kept = Object.entries(deployment.metadata.annotations ?? {}).filter(
    ([name]) => ownAnnotations.has(name) && name !== ROLLBACK_TO,
  );
  return { ...Object.fromEntries(kept), ...copiedAnnotations(set.metadata.annotations) };
}

function copiedAnnotations(annotations: Annotations | undefined): Annotations {
  return Object.fromEntries(Object.entries(annotations ?? {}).filter(([name]) => !ownAnnotations.has(name)));
}
