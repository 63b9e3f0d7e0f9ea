/** Evicts pods from nodes with NoExecute taints that they do not tolerate, at once or after tolerationSeconds. */
import { isApiError } from "@capstan/client";
import { Node, Pod } from "@capstan/kinds/v1";
import type { Taint } from "@capstan/kinds/v1";
import { requeue, anyChange, controller } from "@capstan/runtime";
import type { ReconcileResult, Controller } from "@capstan/runtime";
import { podIndexes } from "../pod/indexes.ts";
import { conditionOf } from "../pod/condition.ts";
import { millisecondsOf } from "../pod/state.ts";
import { tolerates } from "@capstan/node";
import { FIELD_MANAGER } from "../controller/context.ts";
import type { ControllerContext } from "../controller/context.ts";

/** When a pod must leave its node because of these taints; undefined means never. */
export function evictionTime({ spec }: Pod, taints: readonly Taint[], now: number): number | undefined {
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

/** The taint eviction controller. */
export function taintEvictionController({ client, clock }: ControllerContext): Controller {
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
      const at = evictionTime(pod, node?.spec?.taints ?? [], now);
      if (at === undefined) return;
      if (at > now) return requeue(at - now, { reason: "tolerates the taint until then" });
      const { namespace = "", name, uid } = pod.metadata;
      event("Normal", "TaintManagerEviction", `Marking for deletion Pod ${namespace}/${name}`);
      try {
        const strategic = { status: { conditions: [conditionOf(pod, disruptionCondition, now)] } };
        const options = { subresource: "status", fieldManager: FIELD_MANAGER, signal };
        await client.patch(Pod, { namespace, name }, { strategic }, options);
        await client.delete(Pod, { namespace, name, preconditions: { uid }, signal });
      } catch (error) {
        if (!isApiError(error, "NotFound", "Conflict")) throw error;
      }
    },
  );
}

const disruptionCondition = {
  type: "DisruptionTarget",
  status: "True",
  reason: "DeletionByTaintManager",
  message: "Taint manager: deleting due to NoExecute taint",
} as const;
