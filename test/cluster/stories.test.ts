import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { isApiError } from "@capstan/client";
import { Deployment, ReplicaSet } from "@capstan/kinds/apps/v1";
import { CronJob, Job } from "@capstan/kinds/batch/v1";
import { PodDisruptionBudget } from "@capstan/kinds/policy/v1";
import { Pod, Service } from "@capstan/kinds/v1";
import { stages, type Target } from "./target.ts";
import { until } from "./until.ts";

const busybox = "capstan.test/busybox:1";
const memcached = "capstan.test/memcached:1.6";

for (const { name, skip, open } of stages) {
  describe(`on ${name}`, { skip, concurrency: false }, () => {
    test("a memcached service scaled from 1 to 5 to 2 under traffic fails no request", async (t) => {
      const target = await open(t, ["memcached"]);
      const { client, namespace } = target;
      await client.create(Deployment, cache(namespace, 1));
      const service = await client.create(Service, {
        metadata: { name: "cache", namespace },
        spec: { selector: { app: "cache" }, ports: [{ port: 11_211 }] },
      });
      await untilAvailable(target, 1);
      const address = service.spec?.clusterIP ?? "";
      await until("the service answers", () => answers(target, address));
      const folder = await mkdtemp(join(tmpdir(), "traffic-"));
      t.after(() => rm(folder, { recursive: true }));
      const [begun, end] = [join(folder, "begun"), join(folder, "end")];
      const traffic = join(import.meta.dirname, "traffic.ts");
      const asking = target.inside([process.execPath, traffic, address, "11211", begun, end], 600_000);
      await until("there is traffic", () => existsSync(begun));
      for (const size of [5, 2]) {
        await client.scale(Deployment, { namespace, name: "cache" }, size);
        await untilAvailable(target, size);
      }
      await until("the others are gone", async () => (await client.list(Pod, { namespace }).all()).items.length === 2);
      await writeFile(end, "");
      const { failures } = JSON.parse(await asking) as { failures: readonly string[] };
      assert.deepEqual(failures, []);
    });

    test("a job with a program that fails at first is retried until it is done", async (t) => {
      const { client, namespace } = await open(t, ["busybox"]);
      // The first attempt of each index fails.
      const fieldPath = "metadata.annotations['batch.kubernetes.io/job-index-failure-count']";
      const env = [{ name: "FAILURES", valueFrom: { fieldRef: { fieldPath } } }];
      await client.create(Job, {
        metadata: { name: "luck", namespace },
        spec: {
          completionMode: "Indexed",
          completions: 3,
          parallelism: 3,
          backoffLimitPerIndex: 3,
          template: {
            spec: {
              restartPolicy: "Never",
              containers: [{ name: "main", image: busybox, env, command: ["sh", "-c", "test $FAILURES = 1"] }],
            },
          },
        },
      });
      const done = await until(
        "the job is complete",
        async () => {
          const { status } = await client.get(Job, { namespace, name: "luck" });
          return status?.conditions?.some(({ type, status: is }) => type === "Complete" && is === "True") && status;
        },
        300_000,
      );
      assert.deepEqual([done.succeeded, done.failed, done.completedIndexes], [3, 3, "0-2"]);
      const pods = (await client.list(Pod, { namespace, labelSelector: "job-name=luck" }).all()).items;
      const phases = pods.map(({ status }) => status?.phase ?? "").toSorted();
      assert.deepEqual(phases, ["Failed", "Failed", "Failed", "Succeeded", "Succeeded", "Succeeded"]);
    });

    test("a job with a program that always fails ends after its last attempt", async (t) => {
      const { client, namespace } = await open(t, ["busybox"]);
      await client.create(Job, {
        metadata: { name: "hopeless", namespace },
        spec: {
          backoffLimit: 1,
          template: {
            spec: { restartPolicy: "Never", containers: [{ name: "main", image: busybox, command: ["false"] }] },
          },
        },
      });
      const failed = await until(
        "the job has failed",
        async () => {
          const { status } = await client.get(Job, { namespace, name: "hopeless" });
          return status?.conditions?.find(({ type, status: is }) => type === "Failed" && is === "True");
        },
        300_000,
      );
      assert.equal(failed.reason, "BackoffLimitExceeded");
      assert.equal((await client.get(Job, { namespace, name: "hopeless" })).status?.failed, 2);
    });

    test("a cron job starts a job when the minute comes", async (t) => {
      const { client, namespace } = await open(t, ["busybox"]);
      await client.create(CronJob, {
        metadata: { name: "tick", namespace },
        spec: {
          schedule: "* * * * *",
          jobTemplate: {
            spec: {
              template: {
                spec: { restartPolicy: "Never", containers: [{ name: "main", image: busybox, command: ["true"] }] },
              },
            },
          },
        },
      });
      await until(
        "a job of it is complete",
        async () => {
          const { items } = await client.list(Job, { namespace }).all();
          return items.some(
            ({ metadata, status }) => metadata.ownerReferences?.[0]?.name === "tick" && status?.succeeded === 1,
          );
        },
        180_000,
      );
      const { status } = await client.get(CronJob, { namespace, name: "tick" });
      assert.ok(status?.lastScheduleTime);
    });

    test("a rollout with a missing image stops, keeps serving, and can be rolled back", async (t) => {
      const target = await open(t, ["memcached"]);
      const { client, namespace } = target;
      await client.create(Deployment, cache(namespace, 3));
      await untilAvailable(target, 3);
      const image = (value: string) => ({
        spec: { template: { spec: { containers: [{ name: "memcached", image: value }] } } },
      });
      await client.patch(Deployment, { namespace, name: "cache" }, { strategic: image("capstan.test/not-there:1") });
      await until("a pod cannot have its image", async () => {
        const { items } = await client.list(Pod, { namespace }).all();
        const reasons = items.flatMap(({ status }) =>
          status?.containerStatuses?.map(({ state }) => state?.waiting?.reason),
        );
        return reasons.some((reason) => reason === "ErrImagePull" || reason === "ImagePullBackOff");
      });
      const { status } = await client.get(Deployment, { namespace, name: "cache" });
      assert.ok((status?.availableReplicas ?? 0) >= 2);
      await client.patch(Deployment, { namespace, name: "cache" }, { strategic: image(memcached) });
      await until("everything is as before", async () => {
        const now = (await client.get(Deployment, { namespace, name: "cache" })).status;
        return now?.availableReplicas === 3 && now.updatedReplicas === 3 && now.replicas === 3;
      });
      const sets = (await client.list(ReplicaSet, { namespace }).all()).items;
      assert.equal(sets.length, 2);
      const revisions = sets.map(({ metadata }) => metadata.annotations?.["deployment.kubernetes.io/revision"]);
      assert.deepEqual(new Set(revisions), new Set(["2", "3"]));
    });

    test("a disruption budget blocks an eviction until there are enough pods", async (t) => {
      const target = await open(t, ["memcached"]);
      const { client, namespace } = target;
      await client.create(Deployment, cache(namespace, 2));
      const selector = { matchLabels: { app: "cache" } };
      await client.create(PodDisruptionBudget, {
        metadata: { name: "cache", namespace },
        spec: { minAvailable: 2, selector },
      });
      await untilAvailable(target, 2);
      await until("the budget has counted", async () => {
        return (await client.get(PodDisruptionBudget, { namespace, name: "cache" })).status?.currentHealthy === 2;
      });
      const [pod] = (await client.list(Pod, { namespace }).all()).items;
      const evict = (): Promise<unknown> => client.evict({ namespace, name: pod?.metadata.name ?? "" });
      await assert.rejects(
        evict(),
        (error) => isApiError(error, "TooManyRequests") && /disruption budget/.test(error.message),
      );
      await client.scale(Deployment, { namespace, name: "cache" }, 3);
      await until("the eviction is granted", () =>
        evict().then(
          () => true,
          (error: unknown) => {
            if (!isApiError(error, "TooManyRequests")) throw error;
            return false;
          },
        ),
      );
    });
  });
}

function cache(namespace: string, replicas: number) {
  const labels = { app: "cache" };
  return {
    metadata: { name: "cache", namespace },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          terminationGracePeriodSeconds: 30,
          containers: [
            {
              name: "memcached",
              image: memcached,
              ports: [{ containerPort: 11_211 }],
              readinessProbe: { tcpSocket: { port: 11_211 }, periodSeconds: 1 },
              // A terminating pod serves until its removal from the endpoints has propagated.
              lifecycle: { preStop: { sleep: { seconds: 8 } } },
            },
          ],
        },
      },
    },
  };
}

async function untilAvailable({ client, namespace }: Target, count: number): Promise<void> {
  await until(`${count} servers are available`, async () => {
    const { status } = await client.get(Deployment, { namespace, name: "cache" });
    return status?.availableReplicas === count && status.replicas === count;
  });
}

async function answers({ inside }: Target, address: string): Promise<boolean> {
  const script = `exec 3<>/dev/tcp/${address}/11211; echo version >&3; head -n 1 <&3`;
  return (await inside(["bash", "-c", script]).catch(() => "")).startsWith("VERSION");
}
