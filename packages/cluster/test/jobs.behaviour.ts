/** Jobs: facts that must be the same under any control plane. */
import { Job } from "@capstan/kinds/batch/v1";
import { Pod } from "@capstan/kinds/v1";
import { isApiError } from "@capstan/client";
import { until } from "./until.ts";
import type { World } from "./worlds.ts";

type JobSpec = NonNullable<Job["spec"]>;

/** A container named `exits-N` exits with code N; see the script of the worlds. */
function jobSpec(exitCode: number, rest: Partial<JobSpec>): JobSpec {
  const containers = [{ name: `exits-${exitCode}`, image: "x" }];
  return { template: { spec: { restartPolicy: "Never", containers } }, ...rest } as JobSpec;
}

/** The status of a Job after it has finished. */
async function ended({ client, namespace }: World, name: string, spec: JobSpec): Promise<object> {
  await client.create(Job, { metadata: { name, namespace }, spec });
  const { status } = await until(`job ${name} has ended`, async () => {
    const job = await client.get(Job, { namespace, name });
    return job.status?.conditions?.some(({ type }) => type === "Complete" || type === "Failed") === true && job;
  });
  const conditions = status?.conditions?.map(({ type, status: state, reason, message }) => ({
    type,
    state,
    reason,
    message: message?.replaceAll(/pod \S+/g, "pod P"),
  }));
  const { succeeded, failed, failedIndexes, completedIndexes } = status ?? {};
  return { conditions, succeeded, failed, failedIndexes, completedIndexes };
}

type Policy = NonNullable<JobSpec["podFailurePolicy"]>;

const onExit = (action: Policy["rules"][number]["action"], values: number[]): Policy => ({
  rules: [{ action, onExitCodes: { operator: "In", values } }],
});

/** A failed pod fails its Job at once. */
export const failJob = (world: World): Promise<object> =>
  ended(world, "fail-job", jobSpec(42, { backoffLimit: 6, podFailurePolicy: onExit("FailJob", [42]) }));

/** A failed pod counts toward the backoff limit. */
export const countPod = (world: World): Promise<object> =>
  ended(world, "count", jobSpec(42, { backoffLimit: 0, podFailurePolicy: onExit("Count", [42]) }));

/** A failed pod fails only its index. */
export const failIndex = (world: World): Promise<object> =>
  ended(
    world,
    "fail-index",
    jobSpec(42, {
      completions: 2,
      parallelism: 2,
      completionMode: "Indexed",
      backoffLimitPerIndex: 1,
      podFailurePolicy: onExit("FailIndex", [42]),
    }),
  );

/** A failed pod with an ignored condition is replaced and does not count; otherwise the Job would fail. */
export async function ignorePod({ client, namespace }: World): Promise<object> {
  const name = "ignore";
  const spec = jobSpec(42, { backoffLimit: 0, podFailurePolicy: onExit("Ignore", [42]) });
  await client.create(Job, { metadata: { name, namespace }, spec });
  const look = { namespace, labelSelector: `job-name=${name}` };
  await until("a second pod is there after the first has failed", async () => {
    const { items } = await client.list(Pod, look).all();
    return items.length > 1 && items.some(({ status }) => status?.phase === "Failed");
  });
  const { status } = await client.get(Job, { namespace, name });
  await client.delete(Job, { namespace, name, propagationPolicy: "Background" });
  return { failed: status?.failed, conditions: status?.conditions };
}

/** A Job with failing pods is retried up to the backoff limit. */
export const retried = (world: World): Promise<object> => ended(world, "retried", jobSpec(1, { backoffLimit: 1 }));

/** A Job with a TTL of 0 is deleted when it has finished. */
export async function timeToLive({ client, namespace }: World): Promise<object> {
  const name = "short-lived";
  await client.create(Job, { metadata: { name, namespace }, spec: jobSpec(0, { ttlSecondsAfterFinished: 1 }) });
  const isGone = (): Promise<boolean> =>
    client.get(Job, { namespace, name }).then(
      () => false,
      (error: unknown) => isApiError(error, "NotFound") || Promise.reject(error as Error),
    );
  await until("the job is gone", isGone);
  await until("so are its pods", async () => {
    return (await client.list(Pod, { namespace, labelSelector: `job-name=${name}` }).all()).items.length === 0;
  });
  return { gone: true };
}
