/** Keeps the members of a StatefulSet: each with a name and storage of its own. */
import { isApiError } from "@capstan/client";
import { ControllerRevision, StatefulSet } from "@capstan/kinds/apps/v1";
import { PersistentVolumeClaim, Pod } from "@capstan/kinds/v1";
import { requeue, anyChange, controller } from "@capstan/runtime";
import type { ReconcileResult, Controller } from "@capstan/runtime";
import { isNamespaceGoing, wordsOf } from "../failure/failure.ts";
import { podIndexes } from "../pod/cache.ts";
import { Crew } from "../pod/crew.ts";
import { untilNextAvailable } from "../pod/state.ts";
import { controllerOf } from "../ownership/owner.ts";
import { Revisions, templateOf } from "../revision/history.ts";
import { MANAGER } from "../setting.ts";
import type { Setting } from "../setting.ts";
import { writeStatus } from "../status/status.ts";
import { decide, statusOf } from "./decide.ts";
import type { Action } from "./decide.ts";
import { claimsOf, identityLabels, memberOf } from "./identity.ts";
import type { Version } from "./identity.ts";
import { retain } from "./retention.ts";

/** One turn of a set. */
export interface Turn extends Setting {
  readonly crew: Crew;
  readonly set: StatefulSet;
  readonly versions: { readonly current: Version; readonly update: Version };
  readonly getClaim: (name: string) => PersistentVolumeClaim | undefined;
  readonly signal: AbortSignal;
  readonly event: (type: "Normal" | "Warning", reason: string, note: string) => void;
}

/** The controller of StatefulSets. */
export function statefulSetController(setting: Setting): Controller {
  const crew = new Crew(setting);
  const history = new Revisions(setting);
  const { client, clock } = setting;
  return controller(
    StatefulSet,
    {
      name: "statefulset",
      reporter: "statefulset-controller",
      reads: [Pod, ControllerRevision, PersistentVolumeClaim],
      predicate: anyChange,
      watches: [crew.ledger.watch, history.ledger.watch],
      cache: { Pod: podIndexes },
    },
    async ({ object: set, find, get, signal, event }): Promise<ReconcileResult> => {
      const { selector, template = {}, revisionHistoryLimit = 10, minReadySeconds = 0 } = set.spec ?? {};
      const pods = await crew.of({ kind: StatefulSet, object: set, selector }, find);
      const keeper = {
        kind: StatefulSet,
        object: set,
        selector,
        template,
        collisions: set.status?.collisionCount ?? 0,
      };
      const { revisions, update } = await history.sync({ ...keeper, hashLabel: "controller.kubernetes.io/hash" }, find);
      const current = revisions.find(({ metadata }) => metadata.name === set.status?.currentRevision) ?? update;
      const versions = { current: versionOf(current), update: versionOf(update) };
      const names = { current: current.metadata.name, update: update.metadata.name };
      const getClaim = (name: string): PersistentVolumeClaim | undefined => get(PersistentVolumeClaim, name);
      const turn: Turn = { ...setting, crew, set, versions, getClaim, signal, event };
      for (const action of decide({ set, pods, ...names, now: clock.wall() })) await act(turn, action);
      const after = crew.ledger.current(pods, (pod) => controllerOf(pod)?.uid === set.metadata.uid);
      await retain(turn, after);
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
      return wait === undefined ? undefined : requeue(wait, { reason: "waiting for members to become available" });
    },
  );
}

function versionOf(revision: ControllerRevision): Version {
  return { name: revision.metadata.name, template: templateOf(revision) };
}

async function act(turn: Turn, action: Action): Promise<void> {
  const { crew, set, signal, event } = turn;
  switch (action.do) {
    case "start": {
      await createClaims(turn, action.ordinal);
      const member = memberOf(set, action.ordinal, turn.versions[action.revision]);
      const { name } = (await start(turn, member)).metadata;
      return event("Normal", "SuccessfulCreate", `Create Pod ${name} in StatefulSet ${set.metadata.name} successful`);
    }
    case "end": {
      await crew.end(action.pod, signal);
      const { name } = action.pod.metadata;
      return event("Normal", "SuccessfulDelete", `Delete Pod ${name} in StatefulSet ${set.metadata.name} successful`);
    }
    case "claim":
      return createClaims(turn, action.ordinal);
    case "identify":
      return identify(turn, action.pod, action.ordinal);
  }
}

async function start({ crew, client, set, signal, event }: Turn, member: ReturnType<typeof memberOf>): Promise<Pod> {
  try {
    return await crew.start(member, signal);
  } catch (error) {
    const { namespace, name = "" } = member.metadata;
    if (isApiError(error, "AlreadyExists")) {
      // Ours, if the cache has not told us yet.
      const existing = await client.get(Pod, { namespace, name, signal });
      if (controllerOf(existing)?.uid === set.metadata.uid) return crew.ledger.wrote(existing);
    }
    if (isNamespaceGoing(error)) throw error;
    const why = wordsOf(error);
    event("Warning", "FailedCreate", `Create Pod ${name} in StatefulSet ${set.metadata.name} failed error: ${why}`);
    throw error;
  }
}

async function createClaims({ client, set, getClaim, signal, event }: Turn, ordinal: number): Promise<void> {
  const of = `Pod ${set.metadata.name}-${ordinal} in StatefulSet ${set.metadata.name}`;
  for (const claim of claimsOf(set, ordinal)) {
    const { name } = claim.metadata;
    if (getClaim(name) !== undefined) continue;
    try {
      await client.create(PersistentVolumeClaim, claim, { fieldManager: MANAGER, signal });
      event("Normal", "SuccessfulCreate", `Create Claim ${name} ${of} success`);
    } catch (error) {
      if (isApiError(error, "AlreadyExists")) continue;
      if (!isNamespaceGoing(error))
        event("Warning", "FailedCreate", `Create Claim ${name} for ${of} failed error: ${wordsOf(error)}`);
      throw error;
    }
  }
}

async function identify({ client, crew, signal }: Turn, pod: Pod, ordinal: number): Promise<void> {
  const { namespace = "", name } = pod.metadata;
  const merge = { metadata: { labels: identityLabels(pod, ordinal) } };
  crew.ledger.wrote(await client.patch(Pod, { namespace, name }, { merge }, { fieldManager: MANAGER, signal }));
}
