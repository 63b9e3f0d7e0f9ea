/** The lifecycle of an operator: the order of start and stop, and its health and metrics meanwhile. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigMap } from "@capstan/kinds/v1";
import type { KubeObject } from "@capstan/model";
import { defineResource, s } from "@capstan/schema";
import type { Api, WatchEvent } from "../src/api.ts";
import { sleep } from "../src/clock.ts";
import { controller } from "../src/define.ts";
import { TerminalError } from "../src/errors.ts";
import { silentLog } from "../src/log.ts";
import { healthEndpoint } from "../src/program/endpoints.ts";
import { RunningOperator } from "../src/manager/operator.ts";
import { Lease } from "../src/leader/lease.ts";
import type { LeaseObject } from "../src/leader/lease.ts";
import { requeue } from "../src/reconcile/outcome.ts";
import { stream } from "../src/trigger/source.ts";
import { VirtualClock } from "../src/testing/clock.ts";
import { ModelApi } from "./model-api.ts";

const Task = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Task",
  spec: s.object({ text: s.string().default("") }),
});

function taskNamed(name: string): KubeObject {
  return Object.assign(
    { apiVersion: "example.com/v1", kind: "Task", metadata: { namespace: "default", name } },
    { spec: { text: name } },
  );
}

/** An API that records when watches begin and end and when the holder of the lease changes. */
function noting(api: ModelApi, notes: string[]): Api {
  const note = (lease: LeaseObject): LeaseObject => {
    const holder = lease.spec?.holderIdentity === "" ? "given back" : "taken";
    if (notes.findLast((line) => line.startsWith("lease")) !== `lease ${holder}`) notes.push(`lease ${holder}`);
    return lease;
  };
  const isLease = ({ kind }: { readonly kind: string }): boolean => kind === "Lease";
  return {
    get: (kind, key) => api.get(kind, key),
    list: (kind, request) => api.list(kind, request),
    apply: (kind, object, options) => api.apply(kind, object, options),
    delete: (kind, key, options) => api.delete(kind, key, options),
    create: async (kind, object, options) => {
      const made = await api.create(kind, object, options);
      return isLease(kind) ? note(made) : made;
    },
    patch: async (kind, key, body, options) => {
      const changed = await api.patch(kind, key, body, options);
      return isLease(kind) ? note(changed) : changed;
    },
    async *watch(kind, request): AsyncGenerator<WatchEvent> {
      notes.push(`watch ${kind.kind}`);
      try {
        yield* api.watch(kind, request);
      } finally {
        notes.push(`end ${kind.kind}`);
      }
    },
  };
}

test("reconciles start with lease and lists, stop before release; watches end last", async () => {
  const clock = new VirtualClock();
  const model = new ModelApi(() => clock.wall());
  const notes: string[] = [];
  const slow = controller(Task, { reads: [ConfigMap] }, async () => {
    notes.push("reconcile begins");
    await sleep(clock, 5_000);
    notes.push("reconcile ends");
  });
  await model.create(Task, taskNamed("a"), { manager: "user" });
  const leaderElection = { namespace: "default", identity: "one" };
  const operator = new RunningOperator(
    { name: "capstan", controllers: [slow] },
    { api: noting(model, notes), clock, random: () => 0.5, log: silentLog, leaderElection },
  );
  await clock.advance(1_000);
  const stopped = operator.stop();
  await clock.advance(10_000);
  await stopped;
  const watches = (what: string) => notes.filter((line) => line.startsWith(what)).toSorted();
  assert.deepEqual(watches("watch"), ["watch ConfigMap", "watch Task"]);
  assert.deepEqual(
    notes.filter((line) => !line.startsWith("watch") && !line.startsWith("end")),
    ["lease taken", "reconcile begins", "reconcile ends", "lease given back"],
  );
  assert.deepEqual(notes.slice(-2).toSorted(), ["end ConfigMap", "end Task"]);
});

test("stops after the grace period, although a daemon and a stream ignore signals", async () => {
  const clock = new VirtualClock();
  const model = new ModelApi(() => clock.wall());
  let [daemons, streams] = [0, 0];
  const deaf = (): Promise<void> => new Promise(() => undefined);
  async function* silence(): AsyncGenerator<string> {
    streams++;
    yield "default/a";
    await deaf();
  }
  const stubborn = controller(Task, { daemon: () => (daemons++, deaf()), sources: [stream(silence)] }, () => undefined);
  await model.create(Task, taskNamed("a"), { manager: "user" });
  const leaderElection = { namespace: "default", identity: "one" };
  const operator = new RunningOperator(
    { name: "capstan", controllers: [stubborn] },
    { api: model, clock, random: () => 0.5, log: silentLog, leaderElection },
  );
  await clock.advance(1_000);
  assert.deepEqual([daemons, streams], [1, 1]);
  let isOver = false;
  void operator.stop(1_000).then(() => (isOver = true));
  await clock.advance(900);
  assert.equal(isOver, false, "they have the grace to end");
  await clock.advance(200);
  assert.equal(isOver, true);
  const lease: LeaseObject = await model.get(Lease, { namespace: "default", name: "capstan" });
  assert.equal(lease.spec?.holderIdentity, "", "the lease was given back");
});

test("a standby changes its namespaces at once, and looks for uncached when it leads", async () => {
  const clock = new VirtualClock();
  const api = new ModelApi(() => clock.wall());
  const seen: string[] = [];
  const noting = controller(Task, {}, ({ object }) => void seen.push(object.metadata.namespace ?? ""));
  for (const namespace of ["default", "other"]) {
    const { metadata, ...task } = taskNamed("a");
    await api.create(Task, { ...task, metadata: { ...metadata, namespace } }, { manager: "user" });
  }
  const start = (identity: string): RunningOperator =>
    new RunningOperator(
      { name: "capstan", controllers: [noting], namespaces: ["nowhere"] },
      { api, clock, random: () => 0.5, log: silentLog, leaderElection: { namespace: "default", identity } },
    );
  const leader = start("leader");
  await clock.advance(1_000);
  const standby = start("standby");
  await clock.advance(1_000);
  await standby.setNamespaces(["other"]);
  assert.deepEqual(seen, []);
  await Promise.all([leader.stop(), clock.advance(10_000)]);
  assert.deepEqual([standby.isLeader, seen], [true, ["other"]]);
  await Promise.all([standby.stop(), clock.advance(1_000)]);
});

test("is ready when each of its watches is, and names the one that is not", async () => {
  const clock = new VirtualClock();
  const api = new ModelApi(() => clock.wall());
  api.missing.add("Task");
  const waiting = controller(Task, { reads: [ConfigMap] }, () => undefined);
  await using operator = new RunningOperator(
    { name: "capstan", controllers: [waiting], namespaces: ["default"] },
    { api, clock, random: () => 0.5, log: silentLog },
  );
  await clock.advance(1_000);
  const ask = async (path: string) => {
    const request = { method: "GET", path, isLocal: false, authorization: undefined };
    const { status, body } = await healthEndpoint(operator)(request);
    return [status, body.trim().split("\n").toSorted()];
  };
  assert.deepEqual(await ask("/readyz"), [
    503,
    ["[+] ConfigMap in default", "[-] Task in default: Task is not served"],
  ]);
  assert.deepEqual(await ask("/healthz"), [200, ["ok"]]);
  api.missing.clear();
  await clock.advance(10_000);
  assert.deepEqual(await ask("/readyz"), [200, ["[+] ConfigMap in default", "[+] Task in default"]]);
  const metrics = operator.registry.text();
  for (const name of ["watch_synced", "watch_failing", "cache_objects", "cache_bytes", "cache_over_budget"])
    assert.match(metrics, new RegExp(`^capstan_${name}\\{kind="Task",namespace="default"\\} [01]$`, "mu"));
});

test("reports how many bytes and objects a cache holds", async () => {
  const clock = new VirtualClock();
  const api = new ModelApi(() => clock.wall());
  const idle = controller(Task, {}, () => undefined);
  await using operator = new RunningOperator({ name: "capstan", controllers: [idle] }, { api, clock, log: silentLog });
  const told = async (): Promise<readonly [objects: number, bytes: number]> => {
    await clock.advance(1_000);
    const text = operator.registry.text();
    const valueOf = (name: string): number =>
      Number(new RegExp(`^capstan_${name}\\{kind="Task"[^}]*\\} (\\d+)$`, "mu").exec(text)?.[1]);
    return [valueOf("cache_objects"), valueOf("cache_bytes")];
  };
  assert.deepEqual(await told(), [0, 0]);
  await api.create(Task, taskNamed("a"), { manager: "user" });
  const [, one] = await told();
  const size = JSON.stringify(api.peek(Task, "default/a")).length;
  assert.ok(one > size / 2 && one < size * 2, `${one} bytes for an object of ${size}`);
  await api.create(Task, taskNamed("b"), { manager: "user" });
  assert.deepEqual(await told(), [2, 2 * one]);
  await api.delete(Task, { namespace: "default", name: "a" }, {});
  assert.deepEqual(await told(), [1, one]);
});

/** An operator with one object and nothing to do. */
async function startIdle(): Promise<RunningOperator> {
  const clock = new VirtualClock();
  const api = new ModelApi(() => clock.wall());
  await api.create(Task, taskNamed("a"), { manager: "user" });
  const idle = controller(Task, {}, () => undefined);
  const operator = new RunningOperator({ name: "capstan", controllers: [idle] }, { api, clock, log: silentLog });
  await clock.advance(1_000);
  return operator;
}

test("serves explanations to local requests only", async () => {
  await using operator = await startIdle();
  const ask = async (isLocal: boolean) => {
    const path = "/explain/task/default/a?wide";
    const { status, body } = await healthEndpoint(operator)({ method: "GET", path, isLocal, authorization: undefined });
    return { status, namesTheObject: body.includes("default/a") };
  };
  assert.deepEqual(await ask(true), { status: 200, namesTheObject: true });
  assert.deepEqual(await ask(false), { status: 403, namesTheObject: false });
});

test("DNS rebinding from a web page gets no explanations", async () => {
  await using operator = await startIdle();
  const ask = async (path: string, host: string | undefined) => {
    const request = { method: "GET", path, isLocal: true, host, authorization: undefined };
    const { status, body } = await healthEndpoint(operator)(request);
    return { status, body };
  };
  const own = ["localhost", "LocalHost.:8081", "operator.localhost:8081", "127.0.0.1:8081", "127.9.9.9", "[::1]:8081"];
  for (const host of [...own, undefined]) {
    for (const path of ["/explain/task/default/a", "/readyz"])
      assert.equal((await ask(path, host)).status, 200, `${path} for ${host}`);
  }
  const foreign = [
    "evil.example.com",
    "evil.example.com:8081",
    "localhost.evil.com",
    "notlocalhost",
    "127.0.0.1.evil.com",
  ];
  for (const host of [...foreign, "", "127.0.0.1@evil.com", "10.0.0.1:8081", "::1"]) {
    for (const path of ["/explain/task/default/a", "/explain/none/default/a", "/readyz"]) {
      const { status, body } = await ask(path, host);
      assert.equal(status, 403, `${path} for ${host}`);
      assert.match(body, /^The Host header names another machine/u);
    }
    assert.equal((await ask("/healthz", host)).status, 200, "says only that the process runs");
  }
});

test("explains why there is nothing: unknown controller or object, or no reconcile", async () => {
  await using operator = await startIdle();
  const ask = async (object: string): Promise<string> => {
    const request = { method: "GET", path: `/explain/${object}`, isLocal: true, authorization: undefined };
    const { status, body } = await healthEndpoint(operator)(request);
    return `${status} ${body.trim()}`;
  };
  assert.equal(await ask("tsk/default/a"), "404 There is no controller tsk: the operator has task.");
  assert.equal(await ask("task/default/b"), "404 There is no Task default/b that this operator watches.");
  operator.history.forget("task", "default/a");
  assert.equal(await ask("task/default/a"), "404 Nothing is known about task default/a: it was not looked at lately.");
});

/** The names of controller-runtime and client-go, so that existing dashboards and alerts work. */
const NAMES = [
  "controller_runtime_reconcile_total",
  "controller_runtime_reconcile_errors_total",
  "controller_runtime_terminal_reconcile_errors_total",
  "controller_runtime_reconcile_panics_total",
  "controller_runtime_reconcile_timeouts_total",
  "controller_runtime_reconcile_time_seconds",
  "controller_runtime_max_concurrent_reconciles",
  "controller_runtime_active_workers",
  "workqueue_depth",
  "workqueue_adds_total",
  "workqueue_queue_duration_seconds",
  "workqueue_work_duration_seconds",
  "workqueue_unfinished_work_seconds",
  "workqueue_longest_running_processor_seconds",
  "workqueue_retries_total",
  "rest_client_requests_total",
  "leader_election_master_status",
];

test("counts under controller-runtime's names, with its results", async () => {
  const clock = new VirtualClock();
  const api = new ModelApi(() => clock.wall());
  const mixed = controller(Task, { timeout: "10s" }, async ({ object }) => {
    switch (object.spec.text) {
      case "later":
        return requeue("1h");
      case "broken":
        throw new Error("broken");
      case "hopeless":
        throw new TerminalError("hopeless");
      case "slow":
        await sleep(clock, 60_000);
    }
    return undefined;
  });
  for (const name of ["fine", "later", "broken", "hopeless", "slow"])
    await api.create(Task, taskNamed(name), { manager: "user" });
  const operator = new RunningOperator(
    { name: "capstan", controllers: [mixed] },
    { api, clock, random: () => 0.5, log: silentLog },
  );
  await clock.advance(15_000);
  const text = operator.registry.text();
  for (const name of NAMES) assert.match(text, new RegExp(`^# TYPE ${name} (?:counter|gauge|histogram)$`, "mu"));
  const total = (result: string): number =>
    Number(
      new RegExp(`^controller_runtime_reconcile_total\\{controller="task",result="${result}"\\} (\\d+)$`, "mu").exec(
        text,
      )?.[1],
    );
  assert.deepEqual([total("success"), total("requeue_after")], [1, 1]);
  assert.ok(total("error") >= 3, "broken, hopeless and slow");
  assert.match(text, /^controller_runtime_terminal_reconcile_errors_total\{controller="task"\} 1$/mu);
  assert.match(text, /^controller_runtime_reconcile_timeouts_total\{controller="task"\} 1$/mu);
  const stopped = operator.stop(0);
  await clock.advance(60_000);
  await stopped;
});

test("a reconcile that outlives the operator starts no watch", async () => {
  const clock = new VirtualClock();
  const api = new ModelApi();
  await api.create(Task, taskNamed("one"), { manager: "user" });
  const resumed = Promise.withResolvers<void>();
  const refused = Promise.withResolvers<unknown>();
  const late = controller(Task, { reads: [ConfigMap] }, async ({ find }) => {
    await resumed.promise;
    try {
      find(ConfigMap, {});
      refused.resolve(undefined);
    } catch (error) {
      refused.resolve(error);
    }
  });
  const notes: string[] = [];
  const operator = new RunningOperator(
    { name: "capstan", controllers: [late] },
    { api: noting(api, notes), clock, random: () => 0.5, log: silentLog },
  );
  await clock.advance(1000);
  const stopped = operator.stop(0);
  await clock.advance(1000);
  await stopped;
  notes.length = 0;
  resumed.resolve();
  assert.match(String(await refused.promise), /Cannot watch ConfigMap: the operator has stopped/);
  assert.deepEqual(notes, []);
});
