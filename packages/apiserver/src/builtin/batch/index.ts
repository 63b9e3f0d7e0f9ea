/** The rules of the group batch. */
import type { ResourceName } from "../context.ts";
import type { ResourceRules } from "../rules.ts";
import { cronJob } from "./cron-job.ts";
import { job } from "./job.ts";

export const batchRules: ReadonlyMap<ResourceName, ResourceRules> = new Map<ResourceName, ResourceRules>([
  ["cronjobs.batch", cronJob],
  ["jobs.batch", job],
]);
