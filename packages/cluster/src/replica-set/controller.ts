/** Keeps as many pods of a template as a ReplicaSet wants. */
import { ReplicaSet } from "@capstan/kinds/apps/v1";
import { Pod } from "@capstan/kinds/v1";
import { again, anyChange, controller } from "@capstan/runtime";
import type { Controller } from "@capstan/runtime";
import { controllerReference } from "../ownership/owner.ts";
import { podIndexes } from "../pod/cache.ts";
import { Crew, slowStart } from "../pod/crew.ts";
import { podFromTemplate } from "../pod/template.ts";
import { isActive, untilNextAvailable } from "../pod/state.ts";
import type { Setting } from "../setting.ts";
import { writeStatus } from "../status/status.ts";
import { decide, statusOf } from "./decide.ts";
import type { Action, Failure } from "./decide.ts";

/** What an action needs of a turn. */
interface Turn {
  readonly crew: Crew;
  readonly set: ReplicaSet;
  readonly signal: AbortSignal;
  readonly event: (type: "Normal" | "Warning", reason: string, note: string) => void;
}

/** The controller of ReplicaSets. */
export function replicaSetController(setting: Setting): Controller {
  const crew = new Crew(setting);
  const { client, clock } = setting;
  return controller(
    ReplicaSet,
    { name: "replicaset", reads: [Pod], on: anyChange, watches: [crew.ledger.watch], cache: { Pod: podIndexes } },
    async ({ object: set, find, signal, event }) => {
      const { selector, replicas = 1, minReadySeconds = 0 } = set.spec ?? {};
      const pods = await crew.of({ kind: ReplicaSet, object: set, selector }, find);
      const failure = await act(decide({ replicas, pods, now: clock.wall() }), { crew, set, signal, event });
      const now = clock.wall();
      const after = crew.ledger.current(pods, ({ metadata }) => isControlledBy(metadata.ownerReferences, set));
      const status = statusOf(set, { pods: after, now }, failure?.told);
      await writeStatus(client, ReplicaSet, { object: set, status, signal });
      if (failure !== undefined) throw failure.error;
      const wait = untilNextAvailable(after.filter(isActive), minReadySeconds, now);
      return wait === undefined ? undefined : again(wait, "waiting for pods to become available");
    },
  );
}

function isControlledBy(references: Pod["metadata"]["ownerReferences"], { metadata }: ReplicaSet): boolean {
  return references?.some(({ uid, controller: controls }) => uid === metadata.uid && controls === true) === true;
}

/** What went wrong, for the status and for the queue. */
interface Failed {
  readonly told: Failure;
  readonly error: unknown;
}

async function act(action: Action, { crew, set, signal, event }: Turn): Promise<Failed | undefined> {
  switch (action.do) {
    case "nothing":
      return undefined;
    case "start": {
      const { name, namespace = "" } = set.metadata;
      const owner = controllerReference(ReplicaSet, set);
      const pod = podFromTemplate(set.spec?.template ?? {}, { namespace, owner, name: { prefix: name } });
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
    const message = error instanceof Error ? error.message : String(error);
    event("Warning", reason, `Error ${reason === "FailedCreate" ? "creating" : "deleting"}: ${message}`);
    return { told: { reason, message }, error };
  }
}
