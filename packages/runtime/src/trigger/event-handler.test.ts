import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { StoredObject } from "@capstan/model";
import type { Change } from "../cache/change.ts";
import { VirtualClock } from "../testing/clock.ts";
import { changedFields } from "./reconcile-trigger.ts";
import { formatTrace, parseTrace, traceOf } from "./trace.ts";
import { desiredStateChanged, fieldsChanged, generationChanged, labelsChanged, not } from "./predicate.ts";
import { cron, every, runSource, stream } from "./source.ts";
import type { Source } from "./source.ts";
import { Reads } from "./reads.ts";
import { mapped, owned, self } from "./event-handler.ts";
import type { EventHandler } from "./event-handler.ts";

const Pod = { group: "", version: "v1", kind: "Pod", plural: "pods", scope: "Namespaced" } as const;
const Owner = { group: "example.com", version: "v1", kind: "Owner", plural: "owners", scope: "Namespaced" } as const;

function pod(
  name: string,
  more: Partial<StoredObject["metadata"]> & { spec?: object; status?: object } = {},
): StoredObject {
  const { spec, status, ...metadata } = more;
  const made = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "ns", uid: name, resourceVersion: "1", creationTimestamp: "", ...metadata },
    spec,
    status,
  };
  return made;
}

function change(old: StoredObject | undefined, object: StoredObject): Change {
  return {
    type: old === undefined ? "added" : "updated",
    key: `ns/${object.metadata.name}`,
    object,
    metadata: object.metadata,
    old,
    from: "stream",
    writers: undefined,
  };
}

function enqueuedBy(trigger: EventHandler, ...changes: readonly Change[]): string[] {
  const keys: string[] = [];
  for (const each of changes) trigger(each, (key) => keys.push(key));
  return keys;
}

describe("triggers", () => {
  const reference = (name: string, controller = true) => ({
    apiVersion: "example.com/v1",
    kind: "Owner",
    name,
    uid: name,
    controller,
  });

  test("an owned object triggers its old and new owners, and only controller owners", () => {
    const trigger = owned(Pod, Owner, { onlyControllerOwner: true });
    const old = pod("p", { ownerReferences: [reference("a")] });
    const now = pod("p", { ownerReferences: [reference("b"), reference("c", false)] });
    assert.deepEqual(enqueuedBy(trigger, change(old, now)), ["ns/b", "ns/a"]);
    const foreign = { ...reference("x"), apiVersion: "other.com/v1" };
    assert.deepEqual(enqueuedBy(trigger, change(undefined, pod("p", { ownerReferences: [foreign] }))), []);
  });

  test("a mapped object triggers the objects that it pointed to and points to", () => {
    const trigger = mapped(
      Pod,
      (object) => [`ns/${object.metadata.labels?.["of"]}`],
      () => true,
    );
    assert.deepEqual(
      enqueuedBy(trigger, change(pod("p", { labels: { of: "a" } }), pod("p", { labels: { of: "b" } }))),
      ["ns/b", "ns/a"],
    );
  });

  test("an object is triggered by its spec, and for repair by its status alone", () => {
    const trigger = self(Pod, desiredStateChanged);
    const old = pod("p", { generation: 1, status: { a: 1 } });
    const relations: (string | undefined)[] = [];
    trigger(change(old, pod("p", { generation: 1, status: { a: 2 } })), (_key, { trigger }) =>
      relations.push(trigger?.relation),
    );
    trigger(change(old, pod("p", { generation: 2, status: { a: 2 } })), (_key, { trigger }) =>
      relations.push(trigger?.relation),
    );
    assert.deepEqual(relations, ["status", "self"]);
    assert.deepEqual(
      enqueuedBy(trigger, change(old, pod("p", { generation: 1, resourceVersion: "2", status: { a: 1 } }))),
      [],
    );
    assert.deepEqual(enqueuedBy(trigger, change(old, pod("p", { generation: 2 }))), ["ns/p"]);
    assert.deepEqual(enqueuedBy(trigger, change(old, pod("p", { generation: 1, deletionTimestamp: "x" }))), ["ns/p"]);
    assert.deepEqual(enqueuedBy(trigger, change(old, pod("p", { generation: 1, annotations: { a: "" } }))), ["ns/p"]);
  });

  test("predicates check generation, labels and typed fields", () => {
    const old = pod("p", { generation: 1, labels: { a: "1" }, spec: { nodeName: "x" } });
    const now = pod("p", { generation: 1, labels: { a: "1" }, spec: { nodeName: "y" } });
    const kind: typeof Pod & { "~types"?: { object: StoredObject & { spec: { nodeName: string } }; apply: unknown } } =
      Pod;
    assert.equal(fieldsChanged(kind, "spec.nodeName")(change(old, now)), true);
    assert.equal(fieldsChanged(kind, "metadata.labels")(change(old, now)), false);
    assert.equal(generationChanged(change(old, now)), false);
    assert.equal(not(labelsChanged)(change(old, now)), true);
  });
});

describe("recorded reads", () => {
  test("trigger the readers, and only for objects that they read", () => {
    const reads = new Reads();
    reads.record("by-key", [{ kind: Pod, key: "ns/p" }]);
    reads.record("by-label", [{ kind: Pod, query: { namespace: "ns", labels: { app: "x" } } }]);
    reads.record("by-namespace", [{ kind: Pod, query: { namespace: "ns" } }]);
    const trigger = reads.trigger(Pod);
    assert.deepEqual(enqueuedBy(trigger, change(undefined, pod("p"))), ["by-key", "by-namespace"]);
    assert.deepEqual(enqueuedBy(trigger, change(undefined, pod("q", { labels: { app: "x" } }))), [
      "by-namespace",
      "by-label",
    ]);
    assert.deepEqual(
      enqueuedBy(trigger, change(undefined, pod("q", { namespace: "other", labels: { app: "x" } }))),
      [],
    );
    assert.deepEqual(
      enqueuedBy(trigger, change(pod("q", { labels: { app: "x" } }), pod("q"))),
      ["by-namespace", "by-label"],
      "leaving a selection is a change of it",
    );
    reads.record("by-namespace", []);
    reads.forget("by-key");
    assert.deepEqual(enqueuedBy(trigger, change(undefined, pod("p"))), []);
  });
});

describe("sources", () => {
  async function wakes(source: Source, time: number): Promise<string[]> {
    const clock = new VirtualClock(Date.UTC(2030, 0, 1));
    const stop = new AbortController();
    const keys: string[] = [];
    const running = runSource(source, {
      clock,
      signal: stop.signal,
      enqueue: (key) => keys.push(`${key} ${clock.now() / 1000}`),
      keys: () => ["ns/a"],
      onError: () => undefined,
    });
    await clock.advance(time);
    stop.abort();
    await running;
    return keys;
  }

  test("a timer triggers every object periodically", async () => {
    assert.deepEqual(await wakes(every("10s"), 35_000), ["ns/a 10", "ns/a 20", "ns/a 30"]);
  });

  test("a schedule triggers at the times of its expression", async () => {
    assert.deepEqual(await wakes(cron("0 */6 * * *", { timeZone: "UTC" }), 13 * 3_600_000), [
      "ns/a 21600",
      "ns/a 43200",
    ]);
    assert.throws(() => cron("every now and then"), { code: "BadSetting" });
    assert.throws(() => cron("0 3 * * *", { timeZone: "Mars/Olympus" }), { code: "BadSetting" });
  });

  test("a stream triggers its keys, and is opened again when it breaks", async () => {
    let opened = 0;
    const source = stream(async function* () {
      opened++;
      yield "ns/x";
      throw new Error("broken");
    });
    assert.deepEqual(await wakes(source, 11_000), ["ns/x 0", "ns/x 5", "ns/x 10"]);
    assert.equal(opened, 3);
  });
});

test("changed fields exclude the server's bookkeeping", () => {
  const old = pod("p", { generation: 1, spec: { a: { b: 1 }, gone: 1 } });
  const now = pod("p", { generation: 2, resourceVersion: "2", spec: { a: { b: 2 }, new: 1 } });
  assert.deepEqual(changedFields(old, now), ["spec.a.b", "spec.gone", "spec.new"]);
});

test("changed fields are found at any depth, and list items by their names", () => {
  const spec = (image: string, ...more: string[]) => ({
    template: {
      spec: {
        containers: [...more.map((name) => ({ name })), { name: "main", image, env: [{ name: "A", value: "1" }] }],
      },
    },
    deep: { a: { b: { c: { d: { e: { f: { same: [1, { two: 2 }] } } } } } } },
  });
  assert.deepEqual(changedFields(pod("p", { spec: spec("a") }), pod("p", { spec: spec("a") })), []);
  assert.deepEqual(changedFields(pod("p", { spec: spec("a") }), pod("p", { spec: spec("b") })), [
    "spec.template.spec.containers[main].image",
  ]);
  assert.deepEqual(changedFields(pod("p", { spec: spec("a") }), pod("p", { spec: spec("a", "side") })), [
    "spec.template.spec.containers[side]",
  ]);
  assert.deepEqual(changedFields({ list: [1, 2] }, { list: [1, 3, 4] }), ["list[1]", "list[2]"]);
});

test("a trace has the W3C format, belongs to its write, and is ignored if malformed", () => {
  const trace = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7", traceFlags: 1 };
  const text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  assert.equal(formatTrace(trace), text);
  assert.deepEqual(parseTrace(text), trace);
  assert.deepEqual(parseTrace(`${text.replace(/^00/u, "01")}-more`), trace, "later versions may say more");
  const none = [
    undefined,
    "",
    "nonsense",
    text.replace(/^00/u, "ff"),
    text.replace("4bf92f3577b34da6a3ce929d0e0e4736", "0".repeat(32)),
  ];
  for (const bad of none) assert.equal(parseTrace(bad), undefined);
  const plain = pod("p");
  const traced = pod("p", { annotations: { "capstan.dev/traceparent": text } });
  assert.equal(traceOf(change(undefined, traced)), text);
  assert.equal(traceOf(change(plain, traced)), text);
  assert.equal(traceOf(change(traced, traced)), undefined);
  assert.deepEqual(
    changedFields(plain, traced).filter((path) => path.includes("traceparent")),
    [],
  );
});
