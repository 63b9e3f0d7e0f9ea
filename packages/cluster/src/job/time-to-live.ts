/** Deletes Jobs that ended some time ago, when they say how long they want to be kept. */
import { isApiError } from "@capstan/client";
import { Job } from "@capstan/kinds/batch/v1";
import { requeue, anyChange, controller } from "@capstan/runtime";
import type { ReconcileResult, Controller } from "@capstan/runtime";
import { millisecondsOf } from "../pod/state.ts";
import type { Setting } from "../setting.ts";
import { endedAt } from "./conditions.ts";

/** The controller of jobs that ended. */
export function timeToLiveController({ client, clock }: Setting): Controller {
  return controller(
    Job,
    { name: "ttl-after-finished", predicate: anyChange },
    async ({ object: job, signal }): Promise<ReconcileResult> => {
      const seconds = job.spec?.ttlSecondsAfterFinished;
      const ended = endedAt(job);
      if (seconds === undefined || ended === undefined) return;
      const left = millisecondsOf(ended) + seconds * 1000 - clock.wall();
      if (left > 0) return requeue(left, { reason: "waiting for its time to be over" });
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
