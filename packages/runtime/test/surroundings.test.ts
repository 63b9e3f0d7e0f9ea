/** Around the controllers: a shared cache and its settings, concurrency, events, spans, standbys, and an orderly stop. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer } from "@capstan/apiserver";
import { createClient, inProcess, noRetry, processHost } from "@capstan/client";
import { ConfigMap } from "@capstan/kinds/v1";
import type { KubeObject } from "@capstan/model";
import { defineResource, s } from "@capstan/schema";
import type { Api, AnyKind } from "../src/api.ts";
import type { CacheSettings } from "../src/cache/settings.ts";
import { apiOf } from "../src/client-api.ts";
import { sleep } from "../src/clock.ts";
import { controller } from "../src/define.ts";
import type { Controller } from "../src/define.ts";
import { RuntimeError } from "../src/errors.ts";
import { silentLog } from "../src/log.ts";
import { installCrds } from "../src/crds/crds.ts";
import { RunningOperator } from "../src/manager/operator.ts";
import type { OperatorDefinition, StartOptions } from "../src/manager/operator.ts";
import type { Span, Tracer } from "../src/report/tracer.ts";
import { VirtualClock } from "../src/testing/clock.ts";

const Task = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Task",
  spec: s.object({ text: s.string().default("") }),
  status: s.object({ seen: s.string() }),
});

interface Place {
  readonly clock: VirtualClock;
  readonly api: Api;
  /** Opened watches, by kind and namespace. */
  readonly watched: string[];
  readonly start: (definition: OperatorDefinition, more?: Partial<StartOptions>) => RunningOperator;
  readonly task: (name: string, namespace?: string, annotations?: { [name: string]: string }) => Promise<unknown>;
}

async function place(): Promise<Place> {
  const clock = new VirtualClock();
  const server = await startApiServer({
    clock,
  });
  const host = { ...processHost(), clock, random: () => 0.5 };
  const api = apiOf(createClient(inProcess(server.fetch), { host, retry: noRetry }));
  const watched: string[] = [];
  const counted: Api = {
    ...api,
    watch: (kind, request) => {
      watched.push(`${kind.kind} ${request.namespace ?? "*"}${request.metadataOnly === true ? " metadata" : ""}`);
      return api.watch(kind, request);
    },
  };
  await installCrds([controller(Task, {}, () => undefined)], { api, clock, manager: "test" });
  const Namespace = { group: "", version: "v1", kind: "Namespace", plural: "namespaces", scope: "Cluster" } as const;
  const other = { apiVersion: "v1", kind: "Namespace", metadata: { name: "other" } };
  await api.create(Namespace, other, { manager: "test" });
  return {
    clock,
    api,
    watched,
    start: (definition, more) =>
      new RunningOperator(definition, { api: counted, clock, random: () => 0.5, log: silentLog, ...more }),
    task: (name, namespace = "default", annotations = {}) => {
      const object = {
        apiVersion: "example.com/v1",
        kind: "Task",
        metadata: { name, namespace, annotations },
        spec: { text: name },
      };
      return api.create(Task, object, { manager: "user" });
    },
  };
}

const noting = (name: string, notes: string[]): Controller =>
  controller(Task, { name, reads: [ConfigMap] }, ({ object, find }) => {
    notes.push(`${name} ${object.metadata.namespace}/${object.metadata.name} ${find(ConfigMap).length}`);
  });

test("controllers share one watch per kind", async () => {
  const { clock, start, task, watched } = await place();
  const notes: string[] = [];
  await using operator = start({ name: "test", controllers: [noting("one", notes), noting("two", notes)] });
  await clock.advance(1_000);
  await task("a");
  await clock.advance(1_000);
  assert.deepEqual(watched.toSorted(), ["ConfigMap *", "Task *"]);
  assert.deepEqual(new Set(notes.map((note) => note.split(" ")[0])), new Set(["one", "two"]));
  assert.match(operator.registry.text(), /^capstan_cache_objects\{kind="[^"]*[Tt]ask[^"]*",namespace=""\} 1$/mu);
});

test("namespaces can be changed while it runs", async () => {
  const { clock, start, task } = await place();
  const notes: string[] = [];
  await using operator = start({ name: "test", controllers: [noting("one", notes)], namespaces: ["default"] });
  await task("a");
  await task("b", "other");
  await clock.advance(1_000);
  assert.equal(
    notes.some((note) => note.includes("other/b")),
    false,
  );
  const left = operator.setNamespaces(["other"]);
  await clock.advance(1_000);
  assert.equal(
    notes.some((note) => note.includes("other/b")),
    true,
  );
  const before = notes.length;
  await task("c");
  await clock.advance(1_000);
  assert.equal(notes.length, before, "the namespace that it left is not watched any more");
  await left;
});

test("kinds can be cached without fields that are not needed", async () => {
  const { api, clock, start, task, watched } = await place();
  const found: KubeObject[] = [];
  const slim = controller(
    Task,
    {
      reads: [ConfigMap],
      cache: {
        ConfigMap: { labelSelector: "app=x", metadataOnly: true },
        Task: {
          transform: (object) => ({ ...object, metadata: { ...object.metadata, annotations: { trimmed: "yes" } } }),
        },
      },
    },
    ({ object, find }) => void found.push(object as KubeObject, ...(find(ConfigMap) as readonly KubeObject[])),
  );
  for (const app of ["x", "y"]) {
    const metadata = { name: app, namespace: "default", labels: { app } };
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { big: "text" } } as KubeObject;
    await api.create(ConfigMap, object, { manager: "test" });
  }
  await using _operator = start({ name: "test", controllers: [slim] });
  await task("a");
  await clock.advance(1_000);
  const [seen, ...maps] = found;
  assert.deepEqual(seen?.metadata.annotations, { trimmed: "yes" });
  assert.deepEqual(
    maps.map(({ metadata }) => metadata.name),
    ["x"],
    "selected by the server",
  );
  assert.equal("data" in (maps[0] ?? {}), false, "only metadata");
  assert.ok(watched.includes("ConfigMap * metadata"));
});

const Job = defineResource({ group: "example.com", version: "v1", kind: "Job", spec: s.object({}) });
/** A kind with the name of an existing one. */
const OtherConfigMap = defineResource({ group: "example.com", version: "v1", kind: "ConfigMap", spec: s.object({}) });

test("controllers that share a cache must agree on the objects that it shows", async () => {
  const { start } = await place();
  const selects = { reads: [ConfigMap], cache: { ConfigMap: { labelSelector: "app=x" } } } as const;
  const first = controller(Task, selects, () => undefined);
  const owner = (cache: { readonly [kind: string]: CacheSettings }) =>
    controller(Job, { owns: [ConfigMap], cache }, () => undefined);
  const refusal = (second: Controller) => {
    try {
      void start({ name: "test", controllers: [first, second] });
    } catch (error) {
      return error instanceof RuntimeError && error.code === "BadSetting" ? error.message : error;
    }
    return undefined;
  };
  assert.equal(
    refusal(owner({})),
    'Controllers share one cache of ConfigMap, and "job" would differ from "task" in `labelSelector`: ' +
      "say the same for ConfigMap in the `cache` of both.",
  );
  assert.match(
    String(refusal(owner({ ConfigMap: { labelSelector: "app=x", metadataOnly: true } }))),
    /`metadataOnly`/u,
  );
});

test("controllers merge their indexes, and kinds of the same name have separate caches", async () => {
  const { api, clock, start, task, watched } = await place();
  const found: string[] = [];
  const byName = ({ metadata }: KubeObject) => [metadata.name ?? ""];
  const byLabel = ({ metadata }: KubeObject) => Object.values(metadata.labels ?? {});
  const common = { labelSelector: "app=x", metadataOnly: false };
  const names = (maps: readonly { readonly metadata: { readonly name: string } }[]) =>
    maps.map(({ metadata }) => metadata.name);
  const first = controller(
    Task,
    { reads: [ConfigMap], cache: { ConfigMap: { labelSelector: "app=x", indexes: { byName } } } },
    ({ find }) => void found.push(...names(find(ConfigMap, { index: { name: "byName", value: "m" } }))),
  );
  const second = controller(
    Task,
    {
      name: "second",
      reads: [ConfigMap, OtherConfigMap],
      cache: {
        "configmaps.v1.": { ...common, indexes: { byName, byLabel } },
        "configmaps.v1.example.com": { labelSelector: "app=y" },
      },
    },
    ({ find }) => void found.push(...names(find(ConfigMap, { index: { name: "byLabel", value: "x" } }))),
  );
  const metadata = { name: "m", namespace: "default", labels: { app: "x" } };
  await api.create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata }, { manager: "test" });
  await installCrds([controller(OtherConfigMap, {}, () => undefined)], { api, clock, manager: "test" });
  await using _operator = start({ name: "test", controllers: [first, second] });
  await task("a");
  await clock.advance(1_000);
  assert.deepEqual(found, ["m", "m"]);
  assert.deepEqual(watched.filter((line) => line.startsWith("ConfigMap")).length, 2);
});

test("no more objects are reconciled at once than the concurrency allows", async () => {
  const { clock, start, task } = await place();
  let [now, most] = [0, 0];
  const slow = controller(Task, { concurrency: 2 }, async () => {
    most = Math.max(most, ++now);
    await sleep(clock, 1_000);
    now--;
  });
  for (const name of ["a", "b", "c", "d", "e"]) await task(name);
  await using _operator = start({ name: "test", controllers: [slow] });
  await clock.advance(10_000);
  assert.deepEqual([most, now], [2, 0]);
});

test("a stop waits for running reconciles, and starts no new ones", async () => {
  const { clock, start, task } = await place();
  const ended: string[] = [];
  const slow = controller(Task, { concurrency: 1 }, async ({ object }) => {
    await sleep(clock, 5_000);
    ended.push(object.metadata.name);
  });
  await task("a");
  await task("b");
  const operator = start({ name: "test", controllers: [slow] });
  await clock.advance(1_000);
  const stopped = operator.stop();
  await clock.advance(20_000);
  await stopped;
  assert.deepEqual(ended, ["a"]);
});

test("repeated events are counted, and each reconcile has a span", async () => {
  const { api, clock, start, task } = await place();
  const spans: string[] = [];
  const tracer = {
    startSpan: (name: string) => {
      spans.push(`begin ${name}`);
      return {
        setAttribute: () => undefined,
        recordException: () => undefined,
        end: () => void spans.push("end"),
        spanContext: () => ({ traceId: "1".repeat(32), spanId: "2".repeat(16), traceFlags: 1 }),
      };
    },
  };
  const chatty = controller(Task, {}, ({ event }) => event("Normal", "Seen", "it was seen"));
  await task("a");
  await using operator = start({ name: "test", controllers: [chatty] }, { tracer });
  for (let times = 0; times < 5; times++) {
    operator.request("task", "default/a");
    await clock.advance(120_000);
  }
  const Event: AnyKind = {
    group: "events.k8s.io",
    version: "v1",
    kind: "Event",
    plural: "events",
    scope: "Namespaced",
  };
  const { items } = await api.list(Event, { namespace: "default" });
  assert.equal(items.length, 1);
  const { series } = items[0] as { readonly series?: { readonly count: number } };
  assert.ok((series?.count ?? 0) >= 3, "the repetitions are counted");
  assert.ok(spans.filter((note) => note.startsWith("begin")).length >= 5);
  assert.equal(spans.filter((note) => note === "end").length * 2, spans.length);
});

test("a trace is carried from object to object, and does not cause writes", async () => {
  const { api, clock, start, task } = await place();
  const spans: { name: string; id: string; trace: string; parent: string | undefined; links: number }[] = [];
  const tracer: Tracer = {
    startSpan: (name, options, parent) => {
      const above = parent?.getValue(Symbol.for("OpenTelemetry Context Key SPAN")) as Span | undefined;
      const id = String(spans.length + 1).padStart(16, "0");
      const traceId = above?.spanContext().traceId ?? id.repeat(2);
      const links = options?.links?.length ?? 0;
      spans.push({ name, id, trace: traceId, parent: above?.spanContext().spanId, links });
      const nothing = (): void => undefined;
      const spanContext = () => ({ traceId, spanId: id, traceFlags: 1 });
      return { setAttribute: nothing, recordException: nothing, end: nothing, spanContext };
    },
  };
  const maker = controller(Task, { name: "maker", owns: [ConfigMap] }, async ({ object, apply }) => {
    await apply(ConfigMap, object.metadata.name, { data: { text: object.spec.text } });
  });
  const reader = controller(Task, { name: "reader", reads: [ConfigMap] }, ({ object, get, status }) => {
    status.seen = get(ConfigMap, object.metadata.name)?.data?.["text"] ?? "";
  });
  const incoming = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  await task("a", "default", { "capstan.dev/traceparent": incoming });
  await using operator = start({ name: "test", controllers: [maker, reader] }, { tracer });
  await clock.advance(5_000);
  const made = spans.find(({ name }) => name === "reconcile maker");
  assert.deepEqual([made?.trace, made?.parent, made?.links], [incoming.slice(3, 35), incoming.slice(36, 52), 1]);
  const read = spans.find(({ name, parent }) => name === "reconcile reader" && parent === made?.id);
  assert.equal(read?.trace, incoming.slice(3, 35), "the ConfigMap woke the reader, in the same trace");

  const key = { namespace: "default", name: "a" };
  const { resourceVersion } = (await api.get(ConfigMap, key)).metadata;
  operator.request("maker", "default/a");
  await clock.advance(5_000);
  assert.equal((await api.get(ConfigMap, key)).metadata.resourceVersion, resourceVersion, "nothing else changed");
});

test("a standby has its cache filled and reconciles at once when it is elected", async () => {
  const { clock, start, task } = await place();
  const notes: string[] = [];
  const elected = (identity: string): Partial<StartOptions> => ({ leaderElection: { namespace: "default", identity } });
  const leader = start({ name: "test", controllers: [noting("one", notes)] }, elected("leader"));
  await clock.advance(1_000);
  await using standby = start({ name: "test", controllers: [noting("two", notes)] }, elected("standby"));
  await task("a");
  await clock.advance(5_000);
  assert.deepEqual(notes, ["one default/a 0"]);
  assert.ok(!standby.isLeader && standby.health.every(({ isSynced }) => isSynced), "its watches are complete");
  const stopped = leader.stop();
  await clock.advance(5_000);
  await stopped;
  assert.ok(notes.some((note) => note.startsWith("two default/a")));
});
