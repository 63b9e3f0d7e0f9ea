/** Maintains the counts that decide whether an eviction is allowed. */
import { Deployment, ReplicaSet, StatefulSet } from "@capstan/kinds/apps/v1";
import { PodDisruptionBudget } from "@capstan/kinds/policy/v1";
import { Pod, ReplicationController } from "@capstan/kinds/v1";
import { fromLabelSelectorObject, matchesLabels } from "@capstan/model";
import { requeue, anyChange, controller } from "@capstan/runtime";
import type { ReconcileResult, Controller } from "@capstan/runtime";
import { controllerOf } from "../ownership/owner.ts";
import { labelQuery } from "../ownership/label-query.ts";
import { podIndexes } from "../pod/indexes.ts";
import type { ControllerContext } from "../controller/context.ts";
import { isActive } from "../pod/state.ts";
import { writeStatus } from "../controller/write-status.ts";
import { statusOf } from "./decide.ts";

/** The desired replicas of a workload. */
type Scale = (name: string) => { readonly uid: string; readonly replicas: number } | undefined;

/** The controller of PodDisruptionBudgets. */
export function disruptionController({ client, clock }: ControllerContext): Controller {
  return controller(
    PodDisruptionBudget,
    {
      name: "disruption",
      reads: [Pod, ReplicaSet, Deployment, StatefulSet, ReplicationController],
      predicate: anyChange,
      cache: { Pod: podIndexes },
    },
    async ({ object: budget, find, get, signal }): Promise<ReconcileResult> => {
      const selector = fromLabelSelectorObject(budget.spec?.selector);
      const labels = labelQuery(budget.spec?.selector);
      const pods = find(Pod, { labels }).filter(
        (pod) => matchesLabels(selector, pod.metadata.labels) && isActiveOrTerminating(pod),
      );
      const scales: { readonly [kind: string]: Scale } = {
        ReplicaSet: (name) => {
          const set = get(ReplicaSet, name);
          const owner = set && controllerOf(set);
          const deployment = owner?.kind === "Deployment" ? get(Deployment, owner.name) : undefined;
          return toScale(deployment ?? set);
        },
        StatefulSet: (name) => toScale(get(StatefulSet, name)),
        ReplicationController: (name) => toScale(get(ReplicationController, name)),
      };
      const expected = expectedPodCount(budget, pods, scales);
      const { status, wait } = statusOf({ budget, pods, expected, now: clock.wall() });
      await writeStatus(client, PodDisruptionBudget, { object: budget, status, signal });
      return wait === undefined ? undefined : requeue(wait, { reason: "waiting for evictions to expire" });
    },
  );
}

function isActiveOrTerminating(pod: Pod): boolean {
  return isActive(pod) || pod.metadata.deletionTimestamp !== undefined;
}

interface Scaled {
  readonly metadata: { readonly uid: string };
  readonly spec?: { readonly replicas?: number };
}

function toScale(object: Scaled | undefined): ReturnType<Scale> {
  return object && { uid: object.metadata.uid, replicas: object.spec?.replicas ?? 1 };
}

/** `maxUnavailable` and percentages count the desired replicas of the workloads; an absolute `minAvailable` counts the pods. */
function expectedPodCount(
  { spec }: PodDisruptionBudget,
  pods: readonly Pod[],
  scales: { readonly [kind: string]: Scale },
): number {
  const isRelative = spec?.maxUnavailable !== undefined || typeof spec?.minAvailable === "string";
  if (!isRelative) return pods.length;
  const wanted = new Map<string, number>();
  for (const pod of pods) {
    const owner = controllerOf(pod);
    const scale = owner && scales[owner.kind]?.(owner.name);
    // A pod without a workload counts as one replica.
    if (scale === undefined) wanted.set(pod.metadata.uid, 1);
    else wanted.set(scale.uid, scale.replicas);
  }
  return [...wanted.values()].reduce((sum, count) => sum + count, 0);
}
