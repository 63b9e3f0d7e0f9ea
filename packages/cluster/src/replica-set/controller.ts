/** Keeps the desired number of pods for ReplicaSets and ReplicationControllers. */
import { ReplicaSet } from "@capstan/kinds/apps/v1";
import { Pod, ReplicationController } from "@capstan/kinds/v1";
import type { PodTemplateSpec } from "@capstan/kinds/v1";
import type { Kind, LabelSelectorObject, OwnerReference, StoredObject } from "@capstan/model";
import { requeue, anyChange, controller } from "@capstan/runtime";
import type { Controller } from "@capstan/runtime";
import { isNamespaceTerminating, serverMessage } from "../controller/errors.ts";
import { controllerOf, controllerReference } from "../ownership/owner.ts";
import { podIndexes } from "../pod/indexes.ts";
import { PodControl, slowStartBatch } from "../pod/pod-control.ts";
import { ReconcileThrottle } from "../pod/throttle.ts";
import { podFromTemplate } from "../pod/template.ts";
import { isActive, untilNextAvailable } from "../pod/state.ts";
import type { ControllerContext } from "../controller/context.ts";
import { writeStatus } from "../controller/write-status.ts";
import { decide, statusOf } from "./decide.ts";
import type { Action, Failure, ReplicaStatus, ReplicaSpec } from "./decide.ts";

/** What an action needs from the reconcile. */
interface SyncContext {
  readonly podControl: PodControl;
  /** The name prefix of the pods. */
  readonly name: string;
  readonly namespace: string;
  readonly owner: OwnerReference;
  readonly template: PodTemplateSpec;
  readonly signal: AbortSignal;
  readonly event: (type: "Normal" | "Warning", reason: string, note: string) => void;
}

/** A ReplicaSet or ReplicationController. */
interface ReplicaObject extends StoredObject {
  readonly status?: ReplicaStatus;
}

/** A kind of such objects, and how to read its spec. */
interface ReplicaKind<T extends ReplicaObject> {
  readonly kind: Kind<T, unknown, "Namespaced">;
  readonly name: string;
  readonly reporter: string;
  readonly selectorOf: (object: T) => LabelSelectorObject | undefined;
  readonly specOf: (object: T) => ReplicaSpec;
  /** Adapts the status to the kind. */
  readonly toStatus: (status: ReplicaStatus) => ReplicaStatus;
}

/** The controller of ReplicaSets. */
export function replicaSetController(controllerContext: ControllerContext): Controller {
  return replicaController(controllerContext, {
    kind: ReplicaSet,
    name: "replicaset",
    reporter: "replicaset-controller",
    selectorOf: ({ spec }) => spec?.selector,
    specOf: ({ spec }) => ({ ...spec }),
    toStatus: (status) => status,
  });
}

/** The controller of ReplicationControllers. */
export function replicationController(controllerContext: ControllerContext): Controller {
  return replicaController(controllerContext, {
    kind: ReplicationController,
    name: "replicationcontroller",
    reporter: "replication-controller",
    selectorOf: ({ spec }) => ({ matchLabels: spec?.selector ?? {} }),
    specOf: ({ spec }) => ({ ...spec }),
    toStatus: ({ terminatingReplicas: _terminating, ...status }) => status,
  });
}

function replicaController<T extends ReplicaObject>(
  controllerContext: ControllerContext,
  replicaKind: ReplicaKind<T>,
): Controller {
  const podControl = new PodControl(controllerContext);
  const throttle = new ReconcileThrottle(controllerContext.clock);
  const { client, clock } = controllerContext;
  const { kind, name, reporter, selectorOf, specOf, toStatus } = replicaKind;
  return controller(
    kind as Kind<ReplicaObject, unknown, "Namespaced">,
    {
      name,
      reporter,
      reads: [Pod],
      predicate: anyChange,
      watches: [podControl.mutations.watch],
      cache: { Pod: podIndexes },
    },
    async ({ object, find, signal, event }) => {
      // The watch of a kind returns objects of that kind.
      const set = object as T;
      const replicaSpec = specOf(set);
      const { name: setName, namespace = "", uid } = set.metadata;
      const delay = throttle.delay(uid);
      if (delay !== undefined) return requeue(delay, { reason: "throttled: many pods change" });
      const pods = await podControl.claimPods({ kind, object: set, selector: selectorOf(set) }, find);
      const owner = controllerReference(kind, set);
      const context = {
        podControl,
        name: setName,
        namespace,
        owner,
        template: replicaSpec.template ?? {},
        signal,
        event,
      };
      const failure = await act(decide({ replicas: replicaSpec.replicas ?? 1, pods, now: clock.wall() }), context);
      const now = clock.wall();
      const after = podControl.mutations.current(pods, (pod) => controllerOf(pod)?.uid === uid);
      throttle.reconciled(uid, after.length);
      const status = toStatus(statusOf(set, replicaSpec, { pods: after, now, failure: failure?.condition }));
      await writeStatus<T>(client, kind, { object: set, status, signal });
      if (failure !== undefined) throw failure.error;
      const wait = untilNextAvailable(after.filter(isActive), replicaSpec.minReadySeconds ?? 0, now);
      return wait === undefined ? undefined : requeue(wait, { reason: "waiting for pods to become available" });
    },
  );
}

/** A failure, for the status and for the queue. */
interface ActionFailure {
  readonly condition: Failure;
  readonly error: unknown;
}

async function act(
  action: Action,
  { podControl, name, namespace, owner, template, signal, event }: SyncContext,
): Promise<ActionFailure | undefined> {
  switch (action.do) {
    case "nothing":
      return undefined;
    case "start": {
      const pod = podFromTemplate(template, { namespace, owner, name: { prefix: name } });
      return attempt("FailedCreate", event, () =>
        slowStartBatch(action.count, async () => {
          const { metadata } = await podControl.create(pod, signal);
          event("Normal", "SuccessfulCreate", `Created pod: ${metadata.name}`);
        }),
      );
    }
    case "end":
      return attempt("FailedDelete", event, async () => {
        await Promise.all(
          action.pods.map(async (pod) => {
            await podControl.delete(pod, signal);
            event("Normal", "SuccessfulDelete", `Deleted pod: ${pod.metadata.name}`);
          }),
        );
      });
  }
}

async function attempt(
  reason: Failure["reason"],
  event: SyncContext["event"],
  run: () => Promise<void>,
): Promise<ActionFailure | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    if (isNamespaceTerminating(error)) return undefined;
    const message = serverMessage(error);
    event("Warning", reason, `Error ${reason === "FailedCreate" ? "creating" : "deleting"}: ${message}`);
    return { condition: { reason, message }, error };
  }
}
