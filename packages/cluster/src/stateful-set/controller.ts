/** Keeps the pods of a StatefulSet, each with its own name and storage. */
import { isApiError } from "@capstan/client";
import { ControllerRevision, StatefulSet } from "@capstan/kinds/apps/v1";
import { PersistentVolumeClaim, Pod } from "@capstan/kinds/v1";
import { requeue, anyChange, controller } from "@capstan/runtime";
import type { ReconcileResult, Controller } from "@capstan/runtime";
import { isNamespaceTerminating, serverMessage } from "../controller/errors.ts";
import { podIndexes } from "../pod/indexes.ts";
import { PodControl } from "../pod/pod-control.ts";
import { untilNextAvailable } from "../pod/state.ts";
import { controllerOf } from "../ownership/owner.ts";
import { RevisionHistory, templateOf } from "../controller/revision-history.ts";
import { FIELD_MANAGER } from "../controller/context.ts";
import type { ControllerContext } from "../controller/context.ts";
import { writeStatus } from "../controller/write-status.ts";
import { decide, statusOf } from "./decide.ts";
import type { Action } from "./decide.ts";
import { claimsOf, identityLabels, newStatefulSetPod } from "./identity.ts";
import type { Version } from "./identity.ts";
import { updateClaimOwners } from "./retention.ts";

/** One reconcile of a set. */
export interface SyncContext extends ControllerContext {
  readonly podControl: PodControl;
  readonly set: StatefulSet;
  readonly versions: { readonly current: Version; readonly update: Version };
  readonly getClaim: (name: string) => PersistentVolumeClaim | undefined;
  readonly signal: AbortSignal;
  readonly event: (type: "Normal" | "Warning", reason: string, note: string) => void;
}

/** The controller of StatefulSets. */
export function statefulSetController(controllerContext: ControllerContext): Controller {
  const podControl = new PodControl(controllerContext);
  const history = new RevisionHistory(controllerContext);
  const { client, clock } = controllerContext;
  return controller(
    StatefulSet,
    {
      name: "statefulset",
      reporter: "statefulset-controller",
      reads: [Pod, ControllerRevision, PersistentVolumeClaim],
      predicate: anyChange,
      watches: [podControl.mutations.watch, history.mutations.watch],
      cache: { Pod: podIndexes },
    },
    async ({ object: set, find, get, signal, event }): Promise<ReconcileResult> => {
      const { selector, template = {}, revisionHistoryLimit = 10, minReadySeconds = 0 } = set.spec ?? {};
      const pods = await podControl.claimPods({ kind: StatefulSet, object: set, selector }, find);
      const parent = {
        kind: StatefulSet,
        object: set,
        selector,
        template,
        collisions: set.status?.collisionCount ?? 0,
      };
      const { revisions, update } = await history.sync({ ...parent, hashLabel: "controller.kubernetes.io/hash" }, find);
      const current = revisions.find(({ metadata }) => metadata.name === set.status?.currentRevision) ?? update;
      const versions = { current: versionOf(current), update: versionOf(update) };
      const names = { current: current.metadata.name, update: update.metadata.name };
      const getClaim = (name: string): PersistentVolumeClaim | undefined => get(PersistentVolumeClaim, name);
      const context: SyncContext = { ...controllerContext, podControl, set, versions, getClaim, signal, event };
      for (const action of decide({ set, pods, ...names, now: clock.wall() })) await applyActions(context, action);
      const after = podControl.mutations.current(pods, (pod) => controllerOf(pod)?.uid === set.metadata.uid);
      await updateClaimOwners(context, after);
      const now = clock.wall();
      const status = statusOf({ set, pods: after, ...names, now });
      await writeStatus(client, StatefulSet, { object: set, status, signal });
      const live = new Set([
        status.currentRevision ?? "",
        status.updateRevision ?? "",
        ...after.map(({ metadata }) => metadata.labels?.["controller-revision-hash"] ?? ""),
      ]);
      await history.truncate(revisions, revisionHistoryLimit, live);
      const wait = untilNextAvailable(after, minReadySeconds, now);
      return wait === undefined ? undefined : requeue(wait, { reason: "waiting for pods to become available" });
    },
  );
}

function versionOf(revision: ControllerRevision): Version {
  return { name: revision.metadata.name, template: templateOf(revision) };
}

async function applyActions(context: SyncContext, action: Action): Promise<void> {
  const { podControl, set, signal, event } = context;
  switch (action.do) {
    case "start": {
      await createClaims(context, action.ordinal);
      const member = newStatefulSetPod(set, action.ordinal, context.versions[action.revision]);
      const { name } = (await start(context, member)).metadata;
      return event("Normal", "SuccessfulCreate", `Create Pod ${name} in StatefulSet ${set.metadata.name} successful`);
    }
    case "end": {
      await podControl.delete(action.pod, signal);
      const { name } = action.pod.metadata;
      return event("Normal", "SuccessfulDelete", `Delete Pod ${name} in StatefulSet ${set.metadata.name} successful`);
    }
    case "claim":
      return createClaims(context, action.ordinal);
    case "identify":
      return updateIdentity(context, action.pod, action.ordinal);
  }
}

async function start(
  { podControl, client, set, signal, event }: SyncContext,
  member: ReturnType<typeof newStatefulSetPod>,
): Promise<Pod> {
  try {
    return await podControl.create(member, signal);
  } catch (error) {
    const { namespace, name = "" } = member.metadata;
    if (isApiError(error, "AlreadyExists")) {
      // The pod is ours if the cache was stale.
      const existing = await client.get(Pod, { namespace, name, signal });
      if (controllerOf(existing)?.uid === set.metadata.uid) return podControl.mutations.wrote(existing);
    }
    if (isNamespaceTerminating(error)) throw error;
    const why = serverMessage(error);
    event("Warning", "FailedCreate", `Create Pod ${name} in StatefulSet ${set.metadata.name} failed error: ${why}`);
    throw error;
  }
}

async function createClaims({ client, set, getClaim, signal, event }: SyncContext, ordinal: number): Promise<void> {
  const of = `Pod ${set.metadata.name}-${ordinal} in StatefulSet ${set.metadata.name}`;
  for (const claim of claimsOf(set, ordinal)) {
    const { name } = claim.metadata;
    if (getClaim(name) !== undefined) continue;
    try {
      await client.create(PersistentVolumeClaim, claim, { fieldManager: FIELD_MANAGER, signal });
      event("Normal", "SuccessfulCreate", `Create Claim ${name} ${of} success`);
    } catch (error) {
      if (isApiError(error, "AlreadyExists")) continue;
      if (!isNamespaceTerminating(error))
        event("Warning", "FailedCreate", `Create Claim ${name} for ${of} failed error: ${serverMessage(error)}`);
      throw error;
    }
  }
}

async function updateIdentity({ client, podControl, signal }: SyncContext, pod: Pod, ordinal: number): Promise<void> {
  const { namespace = "", name } = pod.metadata;
  const merge = { metadata: { labels: identityLabels(pod, ordinal) } };
  podControl.mutations.wrote(
    await client.patch(Pod, { namespace, name }, { merge }, { fieldManager: FIELD_MANAGER, signal }),
  );
}
