/** Keeps as many pods of a template as a ReplicaSet, or its forebear the ReplicationController, wants. */
import { ReplicaSet } from "@capstan/kinds/apps/v1";
import { Pod, ReplicationController } from "@capstan/kinds/v1";
import type { PodTemplateSpec } from "@capstan/kinds/v1";
import type { Kind, LabelSelectorObject, OwnerReference, StoredObject } from "@capstan/model";
import { requeue, anyChange, controller } from "@capstan/runtime";
import type { Controller } from "@capstan/runtime";
import { isNamespaceGoing, wordsOf } from "../failure/failure.ts";
import { controllerOf, controllerReference } from "../ownership/owner.ts";
import { podIndexes } from "../pod/cache.ts";
import { Crew, slowStart } from "../pod/crew.ts";
import { Pace } from "../pod/pace.ts";
import { podFromTemplate } from "../pod/template.ts";
import { isActive, untilNextAvailable } from "../pod/state.ts";
import type { Setting } from "../setting.ts";
import { writeStatus } from "../status/status.ts";
import { decide, statusOf } from "./decide.ts";
import type { Action, Failure, ReplicaStatus, Wish } from "./decide.ts";

/** What an action needs of a turn. */
interface Turn {
  readonly crew: Crew;
  /** How the pods begin. */
  readonly name: string;
  readonly namespace: string;
  readonly owner: OwnerReference;
  readonly template: PodTemplateSpec;
  readonly signal: AbortSignal;
  readonly event: (type: "Normal" | "Warning", reason: string, note: string) => void;
}

/** An object that wants pods. */
interface Replicated extends StoredObject {
  readonly status?: ReplicaStatus;
}

/** A kind of such objects, and how to read their wish. */
interface Dialect<T extends Replicated> {
  readonly kind: Kind<T, unknown, "Namespaced">;
  readonly name: string;
  readonly reporter: string;
  readonly selectorOf: (object: T) => LabelSelectorObject | undefined;
  readonly wishOf: (object: T) => Wish;
  /** The status in the words of the kind. */
  readonly toStatus: (status: ReplicaStatus) => ReplicaStatus;
}

/** The controller of ReplicaSets. */
export function replicaSetController(setting: Setting): Controller {
  return replicaController(setting, {
    kind: ReplicaSet,
    name: "replicaset",
    reporter: "replicaset-controller",
    selectorOf: ({ spec }) => spec?.selector,
    wishOf: ({ spec }) => ({ ...spec }),
    toStatus: (status) => status,
  });
}

/** The controller of ReplicationControllers. */
export function replicationController(setting: Setting): Controller {
  return replicaController(setting, {
    kind: ReplicationController,
    name: "replicationcontroller",
    reporter: "replication-controller",
    selectorOf: ({ spec }) => ({ matchLabels: spec?.selector ?? {} }),
    wishOf: ({ spec }) => ({ ...spec }),
    toStatus: ({ terminatingReplicas: _terminating, ...status }) => status,
  });
}

function replicaController<T extends Replicated>(setting: Setting, dialect: Dialect<T>): Controller {
  const crew = new Crew(setting);
  const pace = new Pace(setting.clock);
  const { client, clock } = setting;
  const { kind, name, reporter, selectorOf, wishOf, toStatus } = dialect;
  return controller(
    kind as Kind<Replicated, unknown, "Namespaced">,
    { name, reporter, reads: [Pod], predicate: anyChange, watches: [crew.ledger.watch], cache: { Pod: podIndexes } },
    async ({ object, find, signal, event }) => {
      // The watch of a kind gives objects of that kind.
      const set = object as T;
      const wish = wishOf(set);
      const { name: setName, namespace = "", uid } = set.metadata;
      const rest = pace.rest(uid);
      if (rest !== undefined) return requeue(rest, { reason: "many pods move: they are looked at together" });
      const pods = await crew.of({ kind, object: set, selector: selectorOf(set) }, find);
      const owner = controllerReference(kind, set);
      const turn = { crew, name: setName, namespace, owner, template: wish.template ?? {}, signal, event };
      const failure = await act(decide({ replicas: wish.replicas ?? 1, pods, now: clock.wall() }), turn);
      const now = clock.wall();
      const after = crew.ledger.current(pods, (pod) => controllerOf(pod)?.uid === uid);
      pace.took(uid, after.length);
      const status = toStatus(statusOf(set, wish, { pods: after, now, failure: failure?.told }));
      await writeStatus<T>(client, kind, { object: set, status, signal });
      if (failure !== undefined) throw failure.error;
      const wait = untilNextAvailable(after.filter(isActive), wish.minReadySeconds ?? 0, now);
      return wait === undefined ? undefined : requeue(wait, { reason: "waiting for pods to become available" });
    },
  );
}

/** What went wrong, for the status and for the queue. */
interface Failed {
  readonly told: Failure;
  readonly error: unknown;
}

async function act(
  action: Action,
  { crew, name, namespace, owner, template, signal, event }: Turn,
): Promise<Failed | undefined> {
  switch (action.do) {
    case "nothing":
      return undefined;
    case "start": {
      const pod = podFromTemplate(template, { namespace, owner, name: { prefix: name } });
      return attempt("FailedCreate", event, () =>
        slowStart(action.count, async () => {
          const { metadata } = await crew.start(pod, signal);
          event("Normal", "SuccessfulCreate", `Created pod: ${metadata.name}`);
        }),
      );
    }
    case "end":
      return attempt("FailedDelete", event, async () => {
        await Promise.all(
          action.pods.map(async (pod) => {
            await crew.end(pod, signal);
            event("Normal", "SuccessfulDelete", `Deleted pod: ${pod.metadata.name}`);
          }),
        );
      });
  }
}

async function attempt(
  reason: Failure["reason"],
  event: Turn["event"],
  run: () => Promise<void>,
): Promise<Failed | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    if (isNamespaceGoing(error)) return undefined;
    const message = wordsOf(error);
    event("Warning", reason, `Error ${reason === "FailedCreate" ? "creating" : "deleting"}: ${message}`);
    return { told: { reason, message }, error };
  }
}
