/** Deletes finished Jobs after their ttlSecondsAfterFinished. */
import { isApiError } from "@capstan/client";
import { Job } from "@capstan/kinds/batch/v1";
import { requeue, anyChange, controller } from "@capstan/runtime";
import type { ReconcileResult, Controller } from "@capstan/runtime";
import { millisecondsOf } from "../pod/state.ts";
import type { ControllerContext } from "../controller/context.ts";
import { finishedAt } from "./conditions.ts";

/** The controller for finished jobs. */
export function ttlAfterFinishedController({ client, clock }: ControllerContext): Controller {
  return controller(
    Job,
    { name: "ttl-after-finished", predicate: anyChange },
    async ({ object: job, signal }): Promise<ReconcileResult> => {
      const seconds = job.spec?.ttlSecondsAfterFinished;
      const finished = finishedAt(job);
      if (seconds === undefined || finished === undefined) return;
      const left = millisecondsOf(finished) + seconds * 1000 - clock.wall();
      if (left > 0) return requeue(left, { reason: "waiting for ttlSecondsAfterFinished" });
      const { namespace = "", name, uid, resourceVersion } = job.metadata;
      const preconditions = { uid, resourceVersion };
      await client
        .delete(Job, { namespace, name, preconditions, propagationPolicy: "Foreground", signal })
        .catch((error: unknown) => {
          if (!isApiError(error, "NotFound")) throw error;
        });
    },
  );
}
