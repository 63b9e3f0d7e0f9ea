/** The runtime on a real kube-apiserver: its assumptions about managed fields, defaults and streams hold there. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { TestContext } from "node:test";
import { createClient, loadConfig, processHost } from "@capstan/client";
import { ConfigMap, Namespace } from "@capstan/kinds/v1";
import { Deployment } from "@capstan/kinds/apps/v1";
import { defineResource, s } from "@capstan/schema";
import { kubernetesMissing, useKubernetes } from "@capstan/kubernetes";
import type { TestCluster } from "@capstan/kubernetes";
import type { Api } from "../src/api.ts";
import { apiOf } from "../src/client-api.ts";
import { sleep, systemClock } from "../src/clock.ts";
import { controller } from "../src/define.ts";
import { silentLog } from "../src/log.ts";
import { installCrds } from "../src/crds/crds.ts";
import { RunningOperator } from "../src/manager/operator.ts";
import type { Write } from "../src/apply/writer.ts";
import { formatPlan, plan } from "../src/plan/plan.ts";

const skip = kubernetesMissing();

const Cache = defineResource({
  group: "runtime.example.com",
  version: "v1",
  kind: "Cache",
  spec: s.object({ size: s.int32().min(0).default(1), elsewhere: s.string().optional() }),
  status: s.object({ text: s.string().default("") }),
  conditions: { Available: "as many as were asked for are there" },
});

const cache = controller(Cache, { owns: [Deployment, ConfigMap] }, async ({ object, apply, status }) => {
  const { name } = object.metadata;
  const labels = { app: name };
  const deployment = await apply(Deployment, name, {
    spec: {
      replicas: object.spec.size,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            {
              name: "cache",
              image: "memcached:1.6",
              ports: [{ containerPort: 11211 }, { containerPort: 11212, protocol: "UDP" }],
              env: [{ name: "A", value: "1" }],
              resources: { limits: { cpu: "1000m", memory: "1024Mi" } },
              securityContext: {},
            },
          ],
          volumes: [{ name: "scratch", emptyDir: {} }],
        },
      },
    },
  });
  await apply(ConfigMap, name, { metadata: { labels }, data: { size: String(object.spec.size) } });
  if (object.spec.elsewhere !== undefined) {
    await apply(ConfigMap, `${name}-far`, { metadata: { namespace: object.spec.elsewhere }, data: {} });
  }
  status.text = `generation ${deployment.metadata.generation}`;
  status.condition("Available", true);
});

interface Real extends AsyncDisposable {
  readonly api: Api;
  readonly namespace: string;
  readonly writes: Write[];
  start(): RunningOperator;
}

async function connect(t: TestContext, known?: TestCluster): Promise<Real> {
  const cluster = known ?? (await useKubernetes(t));
  const client = createClient(await loadConfig(processHost(), { kubeconfig: cluster.kubeconfig }));
  const api = apiOf(client);
  await installCrds([cache], { api, clock: systemClock, manager: "test" });
  const writes: Write[] = [];
  const { namespace } = cluster;
  const start = (): RunningOperator =>
    new RunningOperator(
      { name: "test", controllers: [cache], namespaces: [namespace] },
      {
        api,
        log: silentLog,
        onWrite: (_name, write) => writes.push(write),
      },
    );
  return { api, namespace, writes, start, [Symbol.asyncDispose]: () => client.close() };
}

/** Waits for a condition. */
async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = systemClock.now() + 120_000;
  while (!(await holds())) {
    assert.ok(systemClock.now() < end, `waited in vain for ${what}`);
    await sleep(systemClock, 20);
  }
}

/** Waits until nothing was written for a while. */
async function quiet(writes: readonly Write[]): Promise<void> {
  for (let count = -1; count !== writes.length;) {
    count = writes.length;
    await sleep(systemClock, 700);
  }
}

function user(api: Api, namespace: string, name: string, spec: object): Promise<unknown> {
  const object = { apiVersion: "runtime.example.com/v1", kind: "Cache", metadata: { namespace, name }, spec };
  return api.apply(Cache, object, { manager: "user", force: true });
}

describe("on a real kube-apiserver", { skip }, () => {
  test("writes each child and each status once, and nothing after a restart", async (t) => {
    await using real = await connect(t);
    const { api, namespace, writes } = real;
    for (let at = 0; at < 10; at++) await user(api, namespace, `c${at}`, { size: at });
    {
      await using _running = real.start();
      await until(() => writes.length >= 30, "thirty writes");
      await quiet(writes);
    }
    assert.equal(writes.length, 30);
    writes.length = 0;
    await using running = real.start();
    await running.synced();
    await quiet(writes);
    assert.equal(writes.length, 0);
    writes.length = 0;
    await user(api, namespace, "c1", { size: 11 });
    await until(() => writes.length >= 3, "three writes");
    await quiet(writes);
    assert.deepEqual(
      writes.map(({ verb, kind }) => `${verb} ${kind.kind}`),
      ["apply Deployment", "apply ConfigMap", "status Cache"],
    );
  });

  test("repairs changes by others to its own fields, and keeps fields of others", async (t) => {
    await using real = await connect(t);
    const { api, namespace, writes } = real;
    await user(api, namespace, "c", { size: 1 });
    await using _running = real.start();
    await until(() => writes.length >= 3, "three writes");
    await quiet(writes);
    writes.length = 0;
    const key = { namespace, name: "c" };
    await api.patch(
      ConfigMap,
      key,
      { metadata: { annotations: { theirs: "x" } } },
      { type: "merge", manager: "rival" },
    );
    await quiet(writes);
    assert.equal(writes.length, 0);
    await api.patch(ConfigMap, key, { data: { size: "999" } }, { type: "merge", manager: "rival" });
    await until(() => writes.length > 0, "the repair");
    await quiet(writes);
    assert.equal(writes.length, 1);
    const map = (await api.get(ConfigMap, key)) as { data?: Record<string, string> } & Awaited<ReturnType<Api["get"]>>;
    assert.deepEqual(map.data, { size: "1" });
    assert.equal(map.metadata.annotations?.["theirs"], "x");
  });

  test("deletes children in other namespaces with their owner, and prunes them", async (t) => {
    await using real = await connect(t);
    const { api, namespace, writes } = real;
    const far = `${namespace}-far`;
    await api.apply(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: far } }, { manager: "user" });
    await user(api, namespace, "c", { elsewhere: far });
    await using _running = new RunningOperator(
      { name: "test", controllers: [cache] },
      {
        api,
        log: silentLog,
        namespaces: [namespace, far],
        onWrite: (_name, write) => writes.push(write),
      },
    );
    const exists = () =>
      api.get(ConfigMap, { namespace: far, name: "c-far" }).then(
        () => true,
        () => false,
      );
    await until(exists, "the far child");
    await quiet(writes);
    await user(api, namespace, "c", {});
    await until(async () => !(await exists()), "the far child to go");
    await user(api, namespace, "c", { elsewhere: far });
    await until(exists, "the far child to return");
    await api.delete(Cache, { namespace, name: "c" }, {});
    await until(async () => !(await exists()), "the far child to go with its owner");
    const gone = () =>
      api.get(Cache, { namespace, name: "c" }).then(
        () => false,
        () => true,
      );
    await until(gone, "the owner to go");
    await api.delete(Namespace, { namespace: "", name: far }, {});
  });

  test("empty lists and maps that the server drops do not cause writes", async (t) => {
    const cluster = await useKubernetes(t);
    const { namespace } = cluster;
    const client = createClient(await loadConfig(processHost(), { kubeconfig: cluster.kubeconfig }));
    t.after(() => client.close());
    const api = apiOf(client);
    const sparse = controller(Cache, { name: "sparse", owns: [ConfigMap, Deployment] }, async ({ object, apply }) => {
      const { name } = object.metadata;
      const labels = { app: name };
      await apply(ConfigMap, name, {
        metadata: { annotations: {}, labels: {}, finalizers: [] },
        data: {},
        binaryData: {},
      });
      const container = { name: "a", image: "a", args: [], env: [], resources: {}, securityContext: {} };
      const spec = { containers: [container], volumes: [], nodeSelector: {}, tolerations: [], securityContext: {} };
      await apply(Deployment, name, {
        spec: {
          replicas: 0,
          selector: { matchLabels: labels },
          template: { metadata: { labels, annotations: {} }, spec },
        },
      });
    });
    await installCrds([sparse], { api, clock: systemClock, manager: "test" });
    await user(api, namespace, "c", {});
    const writes: Write[] = [];
    const options = {
      api,
      log: silentLog,
      namespaces: [namespace],
      onWrite: (_: string, write: Write) => writes.push(write),
    };
    await using running = new RunningOperator({ controllers: [sparse], name: "sparse" }, options);
    await until(() => writes.length >= 2, "two writes");
    for (let request = 0; request < 5; request++) {
      running.request("sparse", `${namespace}/c`);
      await quiet(writes);
    }
    assert.deepEqual(
      writes.map(({ verb, kind }) => `${verb} ${kind.kind}`),
      ["apply ConfigMap", "apply Deployment"],
    );
  });

  test("plans without writing", async (t) => {
    await using real = await connect(t);
    const { api, namespace } = real;
    await user(api, namespace, "c", { size: 3 });
    const planned = await plan(
      { name: "test", controllers: [cache] },
      { api, namespaces: [namespace], log: silentLog },
    );
    assert.match(formatPlan(planned), /apply Deployment .*\/c \(cache\)\n(?: {2}\+ .*\n)* {2}\+ spec\.replicas: 3\n/u);
    await assert.rejects(api.get(Deployment, { namespace, name: "c" }), { code: "NotFound" });
  });

  test("continues where it was when the API server dies and returns", async (t) => {
    const cluster = await useKubernetes(t, { own: true });
    await using real = await connect(t, cluster);
    const { api, namespace, writes } = real;
    await user(api, namespace, "c", { size: 1 });
    await using running = real.start();
    await until(() => writes.length >= 3, "three writes");
    await cluster.killApiServer(0);
    await until(() => running.health.some(({ isFailing }) => isFailing), "a watch to notice");
    await cluster.restartApiServer(0);
    await until(
      () =>
        user(api, namespace, "c", { size: 7 }).then(
          () => true,
          () => false,
        ),
      "the server to answer",
    );
    const size = async (): Promise<string | undefined> => {
      const map = (await api.get(ConfigMap, { namespace, name: "c" })) as { data?: Record<string, string> };
      return map.data?.["size"];
    };
    await until(async () => (await size()) === "7", "the change to arrive");
    await until(() => writes.length >= 6, "six writes");
    await quiet(writes);
    assert.equal(writes.length, 6);
    // Each watch reconnects after its own delay.
    await until(() => running.health.every(({ isFailing }) => !isFailing), "all watches to be well");
    assert.equal(running.health.length, 3);
    assert.equal(writes.length, 6);
  });
});
