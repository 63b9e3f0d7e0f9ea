/** The annotations in which a Deployment and its ReplicaSets record revisions and sizes. Pure. */
import type { Deployment, ReplicaSet } from "@capstan/kinds/apps/v1";
import type { ObjectMeta } from "@capstan/model";

export const REVISION = "deployment.kubernetes.io/revision";
const REVISION_HISTORY = "deployment.kubernetes.io/revision-history";
export const DESIRED_REPLICAS = "deployment.kubernetes.io/desired-replicas";
export const MAX_REPLICAS = "deployment.kubernetes.io/max-replicas";
/** Requests a rollback to a revision; 0 means the previous one. */
export const ROLLBACK_TO = "deprecated.deployment.rollback.to";

type Annotations = { readonly [name: string]: string };

/** Annotations that are not copied between a Deployment and its ReplicaSets. */
const ownAnnotations: ReadonlySet<string> = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  REVISION,
  REVISION_HISTORY,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
  ROLLBACK_TO,
]);

/** The revision of an object; 0 if it has none. Revisions have 64 bits. */
export function revisionOf({ metadata }: { readonly metadata: ObjectMeta }): bigint {
  const text = metadata.annotations?.[REVISION] ?? "";
  return /^\d+$/u.test(text) ? BigInt(text) : 0n;
}

/** A number in an annotation of a set. */
export function readCount({ metadata }: ReplicaSet, name: string): number | undefined {
  const text = metadata.annotations?.[name];
  return text !== undefined && /^\d+$/u.test(text) && Number(text) <= 2 ** 31 - 1 ? Number(text) : undefined;
}

/** The highest revision of sets. */
export function highestRevision(sets: readonly ReplicaSet[]): bigint {
  return sets.map(revisionOf).reduce((most, revision) => (revision > most ? revision : most), 0n);
}

/** The second highest revision. */
export function previousRevision(sets: readonly ReplicaSet[]): bigint {
  return sets.map(revisionOf).sort((a, b) => Number(b - a))[1] ?? 0n;
}

/** The annotations of the new ReplicaSet: those of the deployment, and a revision above all others. */
export function newReplicaSetAnnotations(deployment: Deployment, current: Annotations, revision: bigint): Annotations {
  const annotations: { [name: string]: string } = { ...current, ...copiedAnnotations(deployment.metadata.annotations) };
  const text = current[REVISION];
  if (text !== undefined && !/^\d+$/u.test(text)) return annotations;
  if (BigInt(text ?? 0) >= revision) return annotations;
  annotations[REVISION] = String(revision);
  if (text !== undefined) annotations[REVISION_HISTORY] = withRevision(current[REVISION_HISTORY], text);
  return annotations;
}

/** The length limit of the revision history annotation. */
const HISTORY_LENGTH = 2000;

function withRevision(history: string | undefined, revision: string): string {
  const revisions = history === undefined || history === "" ? [] : history.split(",");
  revisions.push(revision);
  while (revisions.length > 1 && revisions.join(",").length > HISTORY_LENGTH) revisions.shift();
  return revisions.join(",");
}

/** The size annotations of a set. Proportional scaling reads them later. */
export function replicasAnnotations(wanted: number, most: number): Annotations {
  return { [DESIRED_REPLICAS]: String(wanted), [MAX_REPLICAS]: String(most) };
}

/** The annotations of a deployment after a rollback to the template of a set. */
export function annotationsAfterRollback(deployment: Deployment, set: ReplicaSet): Annotations {
  const kept = Object.entries(deployment.metadata.annotations ?? {}).filter(
    ([name]) => ownAnnotations.has(name) && name !== ROLLBACK_TO,
  );
  return { ...Object.fromEntries(kept), ...copiedAnnotations(set.metadata.annotations) };
}

function copiedAnnotations(annotations: Annotations | undefined): Annotations {
  return Object.fromEntries(Object.entries(annotations ?? {}).filter(([name]) => !ownAnnotations.has(name)));
}
