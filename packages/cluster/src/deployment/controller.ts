/** Rolls templates of pods out, one ReplicaSet a template. */
import { isApiError } from "@capstan/client";
import { Deployment, ReplicaSet } from "@capstan/kinds/apps/v1";
import { Pod } from "@capstan/kinds/v1";
import { fromLabelSelectorObject, isDeepEqual } from "@capstan/model";
import { requeue, anyChange, controller } from "@capstan/runtime";
import type { ReconcileResult, Controller } from "@capstan/runtime";
import { isNamespaceGoing, wordsOf } from "../failure/failure.ts";
import { Ledger } from "../ledger/ledger.ts";
import { claim } from "../ownership/claim.ts";
import { controllerOf } from "../ownership/owner.ts";
import { labelTests } from "../ownership/selection.ts";
import { podIndexes } from "../pod/cache.ts";
import { isFinished } from "../pod/state.ts";
import { MANAGER } from "../setting.ts";
import type { Setting } from "../setting.ts";
import { writeStatus } from "../status/status.ts";
import {
  annotationsOfNew,
  highestRevision,
  REVISION,
  revisionOf,
  ROLLBACK_TO,
  sizeAnnotations,
} from "./annotations.ts";
import { decide } from "./decide.ts";
import type { Action } from "./decide.ts";
import { isSameTemplate, splitSets } from "./replica-set.ts";
import type { NewReplicaSet } from "./replica-set.ts";
import { rollBack } from "./rollback.ts";
import { maxSurge, sizeOf, wantedBy } from "./sizes.ts";
import type { Resize } from "./sizes.ts";
import { countsOf, hasDeadline, pauseClaim, rolloutStatus, untilDeadline, withCondition } from "./status.ts";
import type { Claim } from "./status.ts";

/** Says what happened. */
type Tell = (type: "Normal" | "Warning", reason: string, note: string) => void;

/** One turn of a deployment. */
interface Turn extends Setting {
  readonly ledger: Ledger<typeof ReplicaSet>;
  readonly deployment: Deployment;
  readonly signal: AbortSignal;
  readonly tell: Tell;
}

/** The controller of Deployments. */
export function deploymentController(setting: Setting): Controller {
  const ledger = new Ledger(ReplicaSet, setting.clock);
  const { client } = setting;
  return controller(
    Deployment,
    {
      name: "deployment",
      reporter: "deployment-controller",
      reads: [ReplicaSet, Pod],
      predicate: anyChange,
      watches: [ledger.watch],
      cache: { ReplicaSet: { indexes: podIndexes.indexes }, Pod: podIndexes },
    },
    async ({ object: deployment, find, signal, event }) => {
      const turn: Turn = { ...setting, ledger, deployment, signal, tell: event };
      const { selector } = deployment.spec ?? {};
      const byLabels = find(ReplicaSet, { labels: labelTests(selector) });
      const owned = find(ReplicaSet, { index: { name: "controller", value: deployment.metadata.uid } });
      const candidates = ledger.current([...new Set([...byLabels, ...owned])], (set) => isOf(set, deployment));
      const sets = await claim(
        { kind: Deployment, object: deployment, selector: fromLabelSelectorObject(selector) },
        { client, kind: ReplicaSet, candidates, wrote: (set) => void ledger.wrote(set) },
      );
      const paused = pauseClaim(deployment);
      if (paused !== undefined) return report(turn, { status: noted(turn, paused) });
      if (deployment.spec?.paused !== true && deployment.metadata.annotations?.[ROLLBACK_TO] !== undefined) {
        return rollBack(turn, sets);
      }
      const oldPodsRun = (old: readonly ReplicaSet[]): boolean =>
        old.some(
          (set) =>
            (set.status?.replicas ?? 0) > 0 ||
            find(Pod, { index: { name: "controller", value: set.metadata.uid } }).some((pod) => !isFinished(pod)),
        );
      return step(turn, sets, oldPodsRun);
    },
  );
}

function isOf(set: ReplicaSet, { metadata }: Deployment): boolean {
  return controllerOf(set)?.uid === metadata.uid;
}

async function step(
  turn: Turn,
  sets: readonly ReplicaSet[],
  oldPodsRun: (old: readonly ReplicaSet[]) => boolean,
): Promise<ReconcileResult> {
  const { deployment } = turn;
  const { fresh: found, old } = splitSets(deployment, sets);
  const fresh = found === undefined ? undefined : await bringUpToDate(turn, found, old);
  const isRecreate = deployment.spec?.strategy?.type === "Recreate";
  const action = decide({ deployment, fresh, old, oldPodsRun: isRecreate && oldPodsRun(old) });
  const changed = await act(turn, action);
  const now = turn.clock.wall();
  const seen = {
    deployment: changed.claim === undefined ? deployment : withClaim(deployment, changed.claim, now),
    fresh: changed.sets.get(fresh?.metadata.uid ?? "") ?? fresh ?? changed.created,
    old: old.map((set) => changed.sets.get(set.metadata.uid) ?? set),
    now,
  };
  const status = action.do === "scale" ? countsOf(seen) : rolloutStatus(seen);
  const revision = seen.fresh === undefined ? undefined : revisionOf(seen.fresh);
  return report(turn, { status, revision });
}

/** What an action left behind. */
interface Changed {
  readonly sets: ReadonlyMap<string, ReplicaSet>;
  readonly created?: ReplicaSet;
  readonly claim?: Claim;
}

async function act(turn: Turn, action: Action): Promise<Changed> {
  switch (action.do) {
    case "create":
      return create(turn, action.set);
    case "roll":
      return { sets: await resize(turn, action.resizes) };
    case "scale": {
      const sets = await resize(turn, action.resizes);
      await remove(turn, action.remove);
      return { sets };
    }
    case "rest":
      await remove(turn, action.remove);
      return { sets: new Map() };
  }
}

/** The newest set carries the annotations of its deployment, the highest revision and the same patience with pods. */
async function bringUpToDate(turn: Turn, set: ReplicaSet, old: readonly ReplicaSet[]): Promise<ReplicaSet> {
  const { deployment } = turn;
  const annotations = annotationsOfNew(deployment, set.metadata.annotations ?? {}, highestRevision(old) + 1n);
  const minReadySeconds = deployment.spec?.minReadySeconds ?? 0;
  const isSame =
    isDeepEqual(annotations, set.metadata.annotations ?? {}) && (set.spec?.minReadySeconds ?? 0) === minReadySeconds;
  return isSame ? set : update(turn, set, { annotations, spec: { minReadySeconds } });
}

interface Update {
  readonly annotations: { readonly [name: string]: string };
  readonly spec: Partial<NonNullable<ReplicaSet["spec"]>>;
}

/** Replaces a set that nobody else changed meanwhile. */
async function update({ client, ledger, signal }: Turn, set: ReplicaSet, change: Update): Promise<ReplicaSet> {
  const { managedFields: _managedFields, ...kept } = set.metadata;
  const metadata = { ...kept, annotations: change.annotations };
  const spec = { ...set.spec, ...change.spec } as NonNullable<ReplicaSet["spec"]>;
  return ledger.wrote(await client.update(ReplicaSet, { ...set, metadata, spec }, { fieldManager: MANAGER, signal }));
}

async function resize(turn: Turn, resizes: readonly Resize[]): Promise<ReadonlyMap<string, ReplicaSet>> {
  const wanted = wantedBy(turn.deployment);
  const sizes = sizeAnnotations(wanted, wanted + maxSurge(turn.deployment));
  const changed = new Map<string, ReplicaSet>();
  for (const { set, to } of resizes) {
    const annotations = { ...set.metadata.annotations, ...sizes };
    const from = sizeOf(set);
    if (from === to && isDeepEqual(annotations, set.metadata.annotations)) continue;
    changed.set(set.metadata.uid, await update(turn, set, { annotations, spec: { replicas: to } }));
    if (from === to) continue;
    const way = from < to ? "up" : "down";
    turn.tell("Normal", "ScalingReplicaSet", `Scaled ${way} replica set ${set.metadata.name} from ${from} to ${to}`);
  }
  return changed;
}

async function create(turn: Turn, set: NewReplicaSet): Promise<Changed> {
  const { client, ledger, deployment, signal, tell } = turn;
  const { name } = set.metadata;
  try {
    const created = ledger.wrote(await client.create(ReplicaSet, set, { fieldManager: MANAGER, signal }));
    const size = sizeOf(created);
    if (size > 0) tell("Normal", "ScalingReplicaSet", `Scaled up replica set ${name} from 0 to ${size}`);
    const message = `Created new replica set "${name}"`;
    const noted: Claim = { type: "Progressing", status: "True", reason: "NewReplicaSetCreated", message };
    return { sets: new Map(), created, ...(hasDeadline(deployment) && { claim: noted }) };
  } catch (error) {
    if (isApiError(error, "AlreadyExists")) return { sets: new Map(), created: await collide(turn, set, error) };
    if (isNamespaceGoing(error)) throw error;
    const message = `Failed to create new replica set "${name}": ${wordsOf(error)}`;
    tell("Warning", "ReplicaSetCreateError", message);
    const failed: Claim = { type: "Progressing", status: "False", reason: "ReplicaSetCreateError", message };
    if (hasDeadline(deployment)) await report(turn, { status: noted(turn, failed) });
    throw error;
  }
}

/** A set of that name is there: it is ours, or the hash has to be another. */
async function collide(turn: Turn, { metadata, spec }: NewReplicaSet, error: Error): Promise<ReplicaSet> {
  const { client, deployment, signal } = turn;
  const existing = await client.get(ReplicaSet, { namespace: metadata.namespace, name: metadata.name, signal });
  if (isOf(existing, deployment) && isSameTemplate(existing.spec?.template, spec?.template)) return existing;
  const { status } = deployment;
  await report(turn, { status: { ...status, collisionCount: (status?.collisionCount ?? 0) + 1 } });
  throw error;
}

async function remove({ client, ledger, signal }: Turn, sets: readonly ReplicaSet[]): Promise<void> {
  for (const set of sets) {
    const { namespace = "", name, uid } = set.metadata;
    try {
      ledger.deleted(set, await client.delete(ReplicaSet, { namespace, name, preconditions: { uid }, signal }));
    } catch (error) {
      if (!isApiError(error, "NotFound", "Conflict")) throw error;
    }
  }
}

function withClaim(deployment: Deployment, one: Claim, now: number): Deployment {
  const conditions = withCondition(deployment.status?.conditions ?? [], one, now);
  return { ...deployment, status: { ...deployment.status, conditions } };
}

function noted({ deployment, clock }: Turn, one: Claim): Deployment["status"] & object {
  return withClaim(deployment, one, clock.wall()).status ?? {};
}

interface Report {
  readonly status: NonNullable<Deployment["status"]>;
  readonly revision?: bigint | undefined;
}

/** Writes status and revision in one; a rollout that could get stuck is looked at again at its deadline. */
async function report(
  { client, clock, deployment, signal }: Turn,
  { status, revision }: Report,
): Promise<ReconcileResult> {
  const text = revision === undefined || revision === 0n ? undefined : String(revision);
  const isKnown = text === undefined || deployment.metadata.annotations?.[REVISION] === text;
  if (isKnown) await writeStatus(client, Deployment, { object: deployment, status, signal });
  else {
    const { managedFields: _managedFields, ...kept } = deployment.metadata;
    const metadata = { ...kept, annotations: { ...kept.annotations, [REVISION]: text } };
    const options = { subresource: "status", fieldManager: MANAGER, signal };
    await client.update(Deployment, { ...deployment, metadata, status }, options);
  }
  const wait = untilDeadline(deployment, status, clock.wall());
  return wait === undefined ? undefined : requeue(wait, { reason: "watching the deadline of the rollout" });
}
