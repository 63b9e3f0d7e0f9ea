/** Ends pods on nodes with taints that they do not put up with, at once or after the time that they ask for. */
import { isApiError } from "@capstan/client";
import { Node, Pod } from "@capstan/kinds/v1";
import type { Taint } from "@capstan/kinds/v1";
import { requeue, anyChange, controller } from "@capstan/runtime";
import type { ReconcileResult, Controller } from "@capstan/runtime";
import { podIndexes } from "../pod/cache.ts";
import { conditionOf } from "../pod/condition.ts";
import { millisecondsOf } from "../pod/state.ts";
import { tolerates } from "@capstan/node";
import { MANAGER } from "../setting.ts";
import type { Setting } from "../setting.ts";

/** When a pod has to leave its node because of these taints: never is undefined. */
export function leaveAt({ spec }: Pod, taints: readonly Taint[], now: number): number | undefined {
  const evicting = taints.filter(({ effect }) => effect === "NoExecute");
  let earliest: number | undefined;
  for (const taint of evicting) {
    const tolerations = (spec?.tolerations ?? []).filter((one) => tolerates(one, taint));
    if (tolerations.length === 0) return now;
    for (const { tolerationSeconds } of tolerations) {
      if (tolerationSeconds === undefined) continue;
      const since = taint.timeAdded === undefined ? now : millisecondsOf(taint.timeAdded);
      earliest = Math.min(earliest ?? Infinity, since + Math.max(0, tolerationSeconds) * 1000);
    }
  }
  return earliest;
}

/** The controller of evictions by taints. */
export function taintEvictionController({ client, clock }: Setting): Controller {
  return controller(
    Pod,
    {
      name: "taint-eviction",
      reporter: "taint-eviction-controller",
      reads: [Node],
      predicate: anyChange,
      cache: { Pod: podIndexes },
    },
    async ({ object: pod, get, signal, event }): Promise<ReconcileResult> => {
      const node = (pod.spec?.nodeName ?? "") === "" ? undefined : get(Node, pod.spec?.nodeName ?? "");
      const now = clock.wall();
      const at = leaveAt(pod, node?.spec?.taints ?? [], now);
      if (at === undefined) return;
      if (at > now) return requeue(at - now, { reason: "it puts up with the taint for a while" });
      const { namespace = "", name, uid } = pod.metadata;
      event("Normal", "TaintManagerEviction", `Marking for deletion Pod ${namespace}/${name}`);
      try {
        const strategic = { status: { conditions: [conditionOf(pod, disrupted, now)] } };
        const options = { subresource: "status", fieldManager: MANAGER, signal };
        await client.patch(Pod, { namespace, name }, { strategic }, options);
        await client.delete(Pod, { namespace, name, preconditions: { uid }, signal });
      } catch (error) {
        if (!isApiError(error, "NotFound", "Conflict")) throw error;
      }
    },
  );
}

const disrupted = {
  type: "DisruptionTarget",
  status: "True",
  reason: "DeletionByTaintManager",
  message: "Taint manager: deleting due to NoExecute taint",
} as const;
