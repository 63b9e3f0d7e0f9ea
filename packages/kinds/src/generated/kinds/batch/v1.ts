import type { Kind } from "@capstan/model";
import type * as shapes from "../../shapes/batch/v1.ts";

export type * from "../../shapes/batch/v1.ts";

export type CronJob = shapes.CronJob;
export const CronJob: Kind<shapes.CronJob, shapes.CronJobApply, "Namespaced"> = /* @__PURE__ */ Object.freeze({"group":"batch","version":"v1","kind":"CronJob","plural":"cronjobs","scope":"Namespaced"} as const);
export type Job = shapes.Job;
export const Job: Kind<shapes.Job, shapes.JobApply, "Namespaced"> = /* @__PURE__ */ Object.freeze({"group":"batch","version":"v1","kind":"Job","plural":"jobs","scope":"Namespaced"} as const);
