/** Deletes finished Jobs after their ttlSecondsAfterFinished. */
import { isApiError } from "@capstan/client";
import { Job } from "@capstan/kinds/batch/v1";
import { again, anyChange, controller } from "@capstan/runtime";
import type { Answer, Controller } from "@capstan/runtime";
import { millisecondsOf } from "../pod/state.ts";
import type { ControllerContext } from "../controller/context.ts";
import { finishedAt } from "./conditions.ts";

/** The controller for finished jobs. */
export function ttlAfterFinishedController({ client, clock }: ControllerContext): Controller {
  return controller(
    Job,
    { name: "ttl-after-finished", on: anyChange },
    async ({ object: job, signal }): Promise<Answer> => {
      const seconds = job.spec?.ttlSecondsAfterFinished;
      const finished = finishedAt(job);
      if (seconds === undefined || finished === undefined) return;
      const left = millisecondsOf(finished) + seconds * 1000 - clock.wall();
      if (left > 0) return again(left, "waiting for ttlSecondsAfterFinished");
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
