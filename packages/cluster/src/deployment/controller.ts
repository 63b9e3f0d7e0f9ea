/** Rolls out pod templates, with one ReplicaSet per template. */
import { isApiError } from "@capstan/client";
import { Deployment, ReplicaSet } from "@capstan/kinds/apps/v1";
import { Pod } from "@capstan/kinds/v1";
import { fromLabelSelectorObject, isDeepEqual } from "@capstan/model";
import { requeue, anyChange, controller } from "@capstan/runtime";
import type { ReconcileResult, Controller } from "@capstan/runtime";
import { isNamespaceTerminating, serverMessage } from "../controller/errors.ts";
import { MutationCache } from "../controller/mutation-cache.ts";
import { claim } from "../ownership/claim.ts";
import { controllerOf } from "../ownership/owner.ts";
import { labelQuery } from "../ownership/label-query.ts";
import { podIndexes } from "../pod/indexes.ts";
import { isFinished } from "../pod/state.ts";
import { FIELD_MANAGER } from "../controller/context.ts";
import type { ControllerContext } from "../controller/context.ts";
import { writeStatus } from "../controller/write-status.ts";
import {
  newReplicaSetAnnotations,
  highestRevision,
  REVISION,
  revisionOf,
  ROLLBACK_TO,
  replicasAnnotations,
} from "./annotations.ts";
import { decide } from "./decide.ts";
import type { Action } from "./decide.ts";
import { isSameTemplate, splitSets } from "./replica-set.ts";
import type { NewReplicaSet } from "./replica-set.ts";
import { rollBack } from "./rollback.ts";
import { maxSurge, replicasOf, desiredReplicas } from "./scaling.ts";
import type { Scale } from "./scaling.ts";
import { countsOf, hasDeadline, pauseCondition, rolloutStatus, untilDeadline, withCondition } from "./status.ts";
import type { ConditionFields } from "./status.ts";

/** Records an event. */
type RecordEvent = (type: "Normal" | "Warning", reason: string, note: string) => void;

/** One reconcile of a deployment. */
interface SyncContext extends ControllerContext {
  readonly replicaSets: MutationCache<typeof ReplicaSet>;
  readonly deployment: Deployment;
  readonly signal: AbortSignal;
  readonly recordEvent: RecordEvent;
}

/** The controller of Deployments. */
export function deploymentController(controllerContext: ControllerContext): Controller {
  const replicaSets = new MutationCache(ReplicaSet, controllerContext.clock);
  const { client } = controllerContext;
  return controller(
    Deployment,
    {
      name: "deployment",
      reporter: "deployment-controller",
      reads: [ReplicaSet, Pod],
      predicate: anyChange,
      watches: [replicaSets.watch],
      cache: { ReplicaSet: { indexes: podIndexes.indexes }, Pod: podIndexes },
    },
    async ({ object: deployment, find, signal, event }) => {
      const context: SyncContext = { ...controllerContext, replicaSets, deployment, signal, recordEvent: event };
      const { selector } = deployment.spec ?? {};
      const byLabels = find(ReplicaSet, { labels: labelQuery(selector) });
      const owned = find(ReplicaSet, { index: { name: "controller", value: deployment.metadata.uid } });
      const candidates = replicaSets.current([...new Set([...byLabels, ...owned])], (set) =>
        isControlledBy(set, deployment),
      );
      const sets = await claim(
        { kind: Deployment, object: deployment, selector: fromLabelSelectorObject(selector) },
        { client, kind: ReplicaSet, candidates, wrote: (set) => void replicaSets.wrote(set) },
      );
      const paused = pauseCondition(deployment);
      if (paused !== undefined) return report(context, { status: statusWith(context, paused) });
      if (deployment.spec?.paused !== true && deployment.metadata.annotations?.[ROLLBACK_TO] !== undefined) {
        return rollBack(context, sets);
      }
      const oldPodsRunning = (old: readonly ReplicaSet[]): boolean =>
        old.some(
          (set) =>
            (set.status?.replicas ?? 0) > 0 ||
            find(Pod, { index: { name: "controller", value: set.metadata.uid } }).some((pod) => !isFinished(pod)),
        );
      return syncRollout(context, sets, oldPodsRunning);
    },
  );
}

function isControlledBy(set: ReplicaSet, { metadata }: Deployment): boolean {
  return controllerOf(set)?.uid === metadata.uid;
}

async function syncRollout(
  context: SyncContext,
  sets: readonly ReplicaSet[],
  oldPodsRunning: (old: readonly ReplicaSet[]) => boolean,
): Promise<ReconcileResult> {
  const { deployment } = context;
  const { newSet: found, old } = splitSets(deployment, sets);
  const newSet = found === undefined ? undefined : await updateNewReplicaSet(context, found, old);
  const isRecreate = deployment.spec?.strategy?.type === "Recreate";
  const action = decide({ deployment, newSet, old, oldPodsRunning: isRecreate && oldPodsRunning(old) });
  const changed = await act(context, action);
  const now = context.clock.wall();
  const observed = {
    deployment:
      changed.condition === undefined ? deployment : withDeploymentCondition(deployment, changed.condition, now),
    newSet: changed.sets.get(newSet?.metadata.uid ?? "") ?? newSet ?? changed.created,
    old: old.map((set) => changed.sets.get(set.metadata.uid) ?? set),
    now,
  };
  const status = action.do === "scale" ? countsOf(observed) : rolloutStatus(observed);
  const revision = observed.newSet === undefined ? undefined : revisionOf(observed.newSet);
  return report(context, { status, revision });
}

/** What an action changed. */
interface ActionResult {
  readonly sets: ReadonlyMap<string, ReplicaSet>;
  readonly created?: ReplicaSet;
  readonly condition?: ConditionFields;
}

async function act(context: SyncContext, action: Action): Promise<ActionResult> {
  switch (action.do) {
    case "create":
      return create(context, action.set);
    case "roll":
      return { sets: await scaleReplicaSets(context, action.resizes) };
    case "scale": {
      const sets = await scaleReplicaSets(context, action.resizes);
      await remove(context, action.remove);
      return { sets };
    }
    case "rest":
      await remove(context, action.remove);
      return { sets: new Map() };
  }
}

/** Updates the annotations, revision and minReadySeconds of the new ReplicaSet. */
async function updateNewReplicaSet(
  context: SyncContext,
  set: ReplicaSet,
  old: readonly ReplicaSet[],
): Promise<ReplicaSet> {
  const { deployment } = context;
  const annotations = newReplicaSetAnnotations(deployment, set.metadata.annotations ?? {}, highestRevision(old) + 1n);
  const minReadySeconds = deployment.spec?.minReadySeconds ?? 0;
  const isSame =
    isDeepEqual(annotations, set.metadata.annotations ?? {}) && (set.spec?.minReadySeconds ?? 0) === minReadySeconds;
  return isSame ? set : update(context, set, { annotations, spec: { minReadySeconds } });
}

interface Update {
  readonly annotations: { readonly [name: string]: string };
  readonly spec: Partial<NonNullable<ReplicaSet["spec"]>>;
}

/** Updates a set. Fails with a conflict if it changed meanwhile. */
async function update(
  { client, replicaSets, signal }: SyncContext,
  set: ReplicaSet,
  change: Update,
): Promise<ReplicaSet> {
  const { managedFields: _managedFields, ...kept } = set.metadata;
  const metadata = { ...kept, annotations: change.annotations };
  const spec = { ...set.spec, ...change.spec } as NonNullable<ReplicaSet["spec"]>;
  return replicaSets.wrote(
    await client.update(ReplicaSet, { ...set, metadata, spec }, { fieldManager: FIELD_MANAGER, signal }),
  );
}

async function scaleReplicaSets(
  context: SyncContext,
  resizes: readonly Scale[],
): Promise<ReadonlyMap<string, ReplicaSet>> {
  const wanted = desiredReplicas(context.deployment);
  const annotationsOfSize = replicasAnnotations(wanted, wanted + maxSurge(context.deployment));
  const changed = new Map<string, ReplicaSet>();
  for (const { set, to } of resizes) {
    const annotations = { ...set.metadata.annotations, ...annotationsOfSize };
    const from = replicasOf(set);
    if (from === to && isDeepEqual(annotations, set.metadata.annotations)) continue;
    changed.set(set.metadata.uid, await update(context, set, { annotations, spec: { replicas: to } }));
    if (from === to) continue;
    const direction = from < to ? "up" : "down";
    context.recordEvent(
      "Normal",
      "ScalingReplicaSet",
      `Scaled ${direction} replica set ${set.metadata.name} from ${from} to ${to}`,
    );
  }
  return changed;
}

async function create(context: SyncContext, set: NewReplicaSet): Promise<ActionResult> {
  const { client, replicaSets, deployment, signal, recordEvent } = context;
  const { name } = set.metadata;
  try {
    const created = replicaSets.wrote(await client.create(ReplicaSet, set, { fieldManager: FIELD_MANAGER, signal }));
    const size = replicasOf(created);
    if (size > 0) recordEvent("Normal", "ScalingReplicaSet", `Scaled up replica set ${name} from 0 to ${size}`);
    const message = `Created new replica set "${name}"`;
    const noted: ConditionFields = { type: "Progressing", status: "True", reason: "NewReplicaSetCreated", message };
    return { sets: new Map(), created, ...(hasDeadline(deployment) && { condition: noted }) };
  } catch (error) {
    if (isApiError(error, "AlreadyExists"))
      return { sets: new Map(), created: await handleHashCollision(context, set, error) };
    if (isNamespaceTerminating(error)) throw error;
    const message = `Failed to create new replica set "${name}": ${serverMessage(error)}`;
    recordEvent("Warning", "ReplicaSetCreateError", message);
    const failed: ConditionFields = { type: "Progressing", status: "False", reason: "ReplicaSetCreateError", message };
    if (hasDeadline(deployment)) await report(context, { status: statusWith(context, failed) });
    throw error;
  }
}

/** A set with this name exists. It belongs to this deployment, or the collision count must increase. */
async function handleHashCollision(
  context: SyncContext,
  { metadata, spec }: NewReplicaSet,
  error: Error,
): Promise<ReplicaSet> {
  const { client, deployment, signal } = context;
  const existing = await client.get(ReplicaSet, { namespace: metadata.namespace, name: metadata.name, signal });
  if (isControlledBy(existing, deployment) && isSameTemplate(existing.spec?.template, spec?.template)) return existing;
  const { status } = deployment;
  await report(context, { status: { ...status, collisionCount: (status?.collisionCount ?? 0) + 1 } });
  throw error;
}

async function remove({ client, replicaSets, signal }: SyncContext, sets: readonly ReplicaSet[]): Promise<void> {
  for (const set of sets) {
    const { namespace = "", name, uid } = set.metadata;
    try {
      replicaSets.deleted(set, await client.delete(ReplicaSet, { namespace, name, preconditions: { uid }, signal }));
    } catch (error) {
      if (!isApiError(error, "NotFound", "Conflict")) throw error;
    }
  }
}

function withDeploymentCondition(deployment: Deployment, one: ConditionFields, now: number): Deployment {
  const conditions = withCondition(deployment.status?.conditions ?? [], one, now);
  return { ...deployment, status: { ...deployment.status, conditions } };
}

function statusWith({ deployment, clock }: SyncContext, one: ConditionFields): Deployment["status"] & object {
  return withDeploymentCondition(deployment, one, clock.wall()).status ?? {};
}

interface StatusReport {
  readonly status: NonNullable<Deployment["status"]>;
  readonly revision?: bigint | undefined;
}

/** Writes status and revision in one update. A rollout that is not complete is requeued at its progress deadline. */
async function report(
  { client, clock, deployment, signal }: SyncContext,
  { status, revision }: StatusReport,
): Promise<ReconcileResult> {
  const text = revision === undefined || revision === 0n ? undefined : String(revision);
  const isKnown = text === undefined || deployment.metadata.annotations?.[REVISION] === text;
  if (isKnown) await writeStatus(client, Deployment, { object: deployment, status, signal });
  else {
    const { managedFields: _managedFields, ...kept } = deployment.metadata;
    const metadata = { ...kept, annotations: { ...kept.annotations, [REVISION]: text } };
    const options = { subresource: "status", fieldManager: FIELD_MANAGER, signal };
    await client.update(Deployment, { ...deployment, metadata, status }, options);
  }
  const wait = untilDeadline(deployment, status, clock.wall());
  return wait === undefined ? undefined : requeue(wait, { reason: "waiting for the progress deadline" });
}
