import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { ManagedFieldsEntry, StoredObject } from "@capstan/model";
import { Arena } from "./arena.ts";
import type { Extent } from "./arena.ts";
import { keepManagers, writerOf } from "./managed-fields.ts";
import { StoreWriter } from "./store-writer.ts";
import type { Change } from "./change.ts";
import { ListedBytes } from "../watch/listed-bytes.ts";
import { Store } from "./store.ts";

function object(
  name: string,
  version: number,
  more: Partial<StoredObject["metadata"]> & { text?: string } = {},
): StoredObject {
  const { text = "", ...metadata } = more;
  const made = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name,
      namespace: "ns",
      uid: `uid-${name}`,
      resourceVersion: String(version),
      creationTimestamp: "",
      ...metadata,
    },
    data: { text },
  };
  return made;
}

describe("store", () => {
  test("returns frozen objects, and a mutation throws", () => {
    const store = new Store();
    store.put(object("a", 1));
    const read = store.get("ns/a") as { data?: unknown; metadata: { name: string } } | undefined;
    assert.throws(() => {
      if (read !== undefined) read.metadata.name = "b";
    }, /read only/u);
  });

  test("parses objects from bytes when they are no longer recent", () => {
    const store = new Store();
    for (let at = 0; at < 3000; at++) store.put(object(`o${at}`, at, { text: "é".repeat(at % 7) }));
    assert.deepEqual(store.get("ns/o3"), object("o3", 3, { text: "ééé" }));
    assert.equal(store.get("ns/o3"), store.get("ns/o3"), "reading twice makes one object");
  });

  test("finds by labels, owner, namespace and declared indexes, also after changes", () => {
    const store = new Store({ indexes: { text: (each) => [(each as { data?: { text: string } }).data?.text ?? ""] } });
    const owner = { apiVersion: "v1", kind: "X", name: "x", uid: "u" };
    store.put(object("a", 1, { labels: { app: "x" }, ownerReferences: [owner], text: "one" }));
    store.put(object("b", 2, { labels: { app: "y" }, text: "two" }));
    const names = (query: Parameters<Store["find"]>[0]): string[] =>
      store.find(query).map(({ metadata }) => metadata.name);
    assert.deepEqual(names({ labels: { app: "x" } }), ["a"]);
    assert.deepEqual(names({ labels: { app: { in: ["x", "y"] } } }), ["a", "b"]);
    assert.deepEqual(names({ labels: { app: { notIn: ["x"] } } }), ["b"]);
    assert.deepEqual(names({ labels: { other: { exists: false } } }), ["a", "b"]);
    assert.deepEqual(names({ owner: "u" }), ["a"]);
    assert.deepEqual(names({ namespace: "ns" }), ["a", "b"]);
    assert.deepEqual(names({ namespace: "other" }), []);
    assert.deepEqual(names({ index: { name: "text", value: "two" } }), ["b"]);
    store.put(object("b", 3, { labels: { app: "x" }, text: "three" }));
    assert.deepEqual(names({ labels: { app: "x" } }), ["a", "b"]);
    assert.deepEqual(names({ index: { name: "text", value: "two" } }), []);
    store.remove("ns/a");
    assert.deepEqual(names({ labels: { app: "x" } }), ["b"]);
    store.put(object("c", 4, { namespace: "other" }));
    assert.deepEqual([names({ namespace: "ns" }), names({ namespace: "other" })], [["b"], ["c"]]);
  });

  test("shows our own write until the watch has delivered it", () => {
    const store = new Store();
    store.put(object("a", 1));
    store.overlay(object("a", 5, { text: "ours" }));
    assert.equal(store.get("ns/a")?.metadata.resourceVersion, "5");
    store.put(object("a", 3));
    assert.equal(store.get("ns/a")?.metadata.resourceVersion, "5", "an older event does not hide our write");
    store.put(object("a", 10));
    assert.equal(store.get("ns/a")?.metadata.resourceVersion, "10");
    store.overlay(object("a", 7));
    assert.equal(store.get("ns/a")?.metadata.resourceVersion, "10", "a late answer does not hide newer news");
  });

  test("stays within its budget by deflating unused objects, which stay readable", () => {
    const text = "x".repeat(500);
    const budget = 1_200_000;
    const free = new Store();
    const tight = new Store({ budget });
    for (let at = 0; at < 4000; at++) for (const store of [free, tight]) store.put(object(`o${at}`, at, { text }));
    assert.ok(free.usage.bytes > 2 * budget, `${free.usage.bytes} bytes without a budget`);
    assert.ok(tight.usage.bytes <= budget, `${tight.usage.bytes} bytes`);
    assert.equal(tight.usage.isOverBudget, false);
    for (const at of [0, 5, 3999]) assert.deepEqual(tight.get(`ns/o${at}`), object(`o${at}`, at, { text }));
  });

  test("keeps an object for which an index fails, and indexes the others", () => {
    const owner = ({ metadata }: { readonly metadata: { readonly name?: string } }): readonly string[] => {
      if (metadata.name === "bad") throw new TypeError("cannot read it");
      return ["here"];
    };
    const store = new Store({ indexes: { owner } });
    for (const name of ["good", "bad", "better"]) store.put(object(name, 1, {}));
    const found = store.find({ index: { name: "owner", value: "here" } }).map(({ metadata }) => metadata.name);
    assert.deepEqual([store.size, found], [3, ["good", "better"]]);
  });

  test("reports when even the deflated objects exceed the budget", () => {
    const store = new Store({ budget: 1000 });
    for (let at = 0; at < 4000; at++) store.put(object(`o${at}`, at, { text: "x".repeat(500) }));
    assert.equal(store.usage.isOverBudget, true);
  });
});

describe("arena", () => {
  const nowhere = (): Extent => ({ slab: undefined, offset: 0, length: 0 });
  const written = (arena: Arena, text: string): Extent => {
    const extent = nowhere();
    arena.write(extent, text);
    return extent;
  };

  test("returns the written strings, whatever is freed and deflated in between", () => {
    const step = fc.tuple(fc.nat(40), fc.string({ maxLength: 200 }), fc.nat(400), fc.boolean());
    const script = fc.array(step, { minLength: 20, maxLength: 150 });
    const limits = fc.constantFrom(Infinity, 300_000, 0);
    const property = fc.property(script, limits, (steps, limit) => {
      const arena = new Arena(limit);
      const kept = new Map<number, { extent: Extent; text: string }>();
      for (const [slot, part, times, keep] of steps) {
        const old = kept.get(slot);
        if (old !== undefined) {
          assert.equal(arena.read(old.extent), old.text);
          arena.free(old.extent);
        }
        kept.delete(slot);
        // A lone surrogate cannot occur in JSON from a server.
        const text = part.toWellFormed().repeat(times);
        if (keep) kept.set(slot, { extent: written(arena, text), text });
      }
      let bytes = 0;
      for (const { extent, text } of kept.values()) {
        assert.equal(arena.read(extent), text);
        bytes += Buffer.byteLength(text);
      }
      if (limit === Infinity) assert.equal(arena.liveBytes, bytes);
    });
    fc.assert(property, { numRuns: 60 });
  });

  test("compacts slabs with a small live share, deflated or not", () => {
    for (const limit of [Infinity, 1_000_000]) {
      const arena = new Arena(limit);
      const extents = Array.from({ length: 5000 }, () => written(arena, "x".repeat(1000)));
      for (const [at, extent] of extents.entries()) if (at % 50 !== 0) arena.free(extent);
      assert.ok(arena.heldBytes < 500_000, `${arena.heldBytes} bytes for ${arena.liveBytes}`);
      for (const [at, extent] of extents.entries()) if (at % 50 === 0) assert.equal(arena.read(extent).length, 1000);
    }
  });

  test("stays within its limit if the strings are similar", () => {
    const limit = 1_000_000;
    const arena = new Arena(limit);
    const extents = Array.from({ length: 5000 }, (_, at) => written(arena, `${at} `.repeat(200)));
    assert.ok(arena.heldBytes <= limit, `${arena.heldBytes} bytes`);
    for (const [at, extent] of extents.entries()) assert.equal(arena.read(extent), `${at} `.repeat(200));
    assert.ok(arena.heldBytes <= limit, `${arena.heldBytes} bytes after everything was read`);
  });
});

describe("writer", () => {
  test("handles changes and deletions during the first list", () => {
    const store = new Store();
    const changes: string[] = [];
    const writer = new StoreWriter(store, ({ type, key }: Change) => changes.push(`${type} ${key}`));
    writer.handle({ type: "restarted" });
    for (const [at, name] of ["a", "b", "c"].entries()) writer.handle({ type: "listed", object: object(name, at) });
    writer.handle({ type: "listed", object: object("a", 7, { text: "later" }) });
    writer.handle({ type: "unlisted", object: object("b", 8) });
    writer.handle({ type: "unlisted", object: object("c", 1, { uid: "before" }) });
    writer.handle({ type: "synced", version: "9" });
    assert.deepEqual([...store.keys()], ["ns/a", "ns/c"]);
    assert.equal(store.get("ns/a")?.metadata.resourceVersion, "7");
    assert.deepEqual(changes, ["added ns/a", "added ns/b", "added ns/c", "updated ns/a", "removed ns/b"]);
  });

  test("a first list that breaks off and restarts leaves nothing of the previous one", () => {
    const store = new Store();
    const writer = new StoreWriter(store, () => {});
    writer.handle({ type: "restarted" });
    for (const [at, name] of ["a", "b"].entries()) writer.handle({ type: "listed", object: object(name, at) });
    writer.handle({ type: "restarted" });
    writer.handle({ type: "listed", object: object("b", 5) });
    writer.handle({ type: "listed", object: object("c", 6) });
    writer.handle({ type: "synced", version: "9" });
    const versions = [...store.keys()].map((key) => [key, store.versionOf(key)]);
    assert.deepEqual(versions, [
      ["ns/b", "5"],
      ["ns/c", "6"],
    ]);
  });

  test("finds changes that a gap hid: deleted, changed, new and recreated objects", () => {
    const store = new Store();
    const changes: string[] = [];
    const writer = new StoreWriter(store, ({ type, key, from }: Change) => changes.push(`${type} ${key} ${from}`));
    writer.handle({ type: "restarted" });
    for (const [at, name] of ["same", "changed", "gone", "namesake"].entries())
      writer.handle({ type: "listed", object: object(name, at) });
    writer.handle({ type: "synced", version: "9" });
    changes.length = 0;
    writer.handle({ type: "restarted" });
    writer.handle({ type: "listed", object: object("same", 0) });
    writer.handle({ type: "listed", object: object("changed", 20) });
    writer.handle({ type: "listed", object: object("namesake", 21, { uid: "another" }) });
    writer.handle({ type: "listed", object: object("new", 22) });
    assert.deepEqual(changes, [], "readers see the old state until the list is complete");
    assert.ok(store.get("ns/gone"));
    writer.handle({ type: "synced", version: "30" });
    const expected = [
      "added ns/namesake list",
      "added ns/new list",
      "removed ns/gone list",
      "removed ns/namesake list",
      "updated ns/changed list",
    ];
    assert.deepEqual(
      changes.sort((a, b) => (a < b ? -1 : 1)),
      expected,
    );
  });
});

test("a first list in bytes gives the same results as one of objects", () => {
  const entry = fc.record(
    {
      manager: fc.constantFrom("ours", "theirs", 'ou"rs', "öurs"),
      operation: fc.constantFrom("Apply" as const, "Update" as const),
      fieldsV1: fc.constantFrom({ "f:data": { "f:operation": {} } }, { 'k:{"operation":"Apply"}': {} }),
    },
    { requiredKeys: ["operation"] },
  );
  const metadata = fc.record(
    {
      labels: fc.dictionary(fc.constantFrom("a", "b"), fc.string()),
      managedFields: fc.array(entry, { maxLength: 3 }),
      ownerReferences: fc.constant([{ apiVersion: "v1", kind: "X", name: "x", uid: "u" }]),
      text: fc.constantFrom("", "é", '\u2028"}'),
    },
    { requiredKeys: [] },
  );
  const property = fc.property(fc.array(metadata, { maxLength: 5 }), fc.constantFrom(0, 1), (each, indent) => {
    const objects = each.map((more, at) => object(`o${at}`, at, more as Parameters<typeof object>[2]));
    const told = (listed: readonly (StoredObject | ListedBytes)[]): unknown => {
      const store = new Store({ keepsManager: (manager) => manager === "ours" });
      const seen: unknown[] = [];
      const writer = new StoreWriter(store, ({ type, key, object: now }) => seen.push([type, key, now]));
      writer.handle({ type: "restarted" });
      for (const one of listed) writer.handle({ type: "listed", object: one });
      writer.handle({ type: "synced", version: "9" });
      return [seen, store.find({}), store.find({ owner: "u" }), store.find({ labels: { a: "" } })];
    };
    const sent = objects.map((one) => new ListedBytes(Buffer.from(JSON.stringify(one, undefined, indent))));
    assert.deepEqual(told(sent), told(JSON.parse(JSON.stringify(objects)) as StoredObject[]));
  });
  fc.assert(property, { numRuns: 100 });
});

test("a deletion older than the stored object is ignored; one without a version counts", () => {
  const store = new Store();
  const changes: string[] = [];
  const writer = new StoreWriter(store, ({ type, key }: Change) => changes.push(`${type} ${key}`));
  writer.handle({ type: "restarted" });
  writer.handle({ type: "listed", object: object("a", 5) });
  writer.handle({ type: "synced", version: "9" });
  writer.handle({ type: "removed", object: object("a", 4, { uid: "before" }) });
  assert.ok(store.get("ns/a"));
  writer.handle({ type: "removed", object: object("a", 5) });
  assert.deepEqual(changes, ["added ns/a", "removed ns/a"]);
});

test("managed fields: the last writer is known, and only our own entries are kept", () => {
  const managedFields = [
    { manager: "ours", operation: "Apply" as const, time: "2030-01-01T00:00:00Z" },
    { manager: "theirs", operation: "Update" as const, time: "2030-01-02T00:00:00Z" },
  ];
  const full = object("a", 1, { managedFields });
  assert.equal(writerOf(managedFields), "theirs");
  const trimmed = keepManagers((manager) => manager === "ours")(full);
  assert.deepEqual(
    trimmed.metadata.managedFields?.map(({ manager }) => manager),
    ["ours"],
  );
});

test("among managers of the same second, the writer is the one that owns the change", () => {
  const time = "2030-01-01T00:00:00Z";
  const update = (manager: string, fieldsV1: object): ManagedFieldsEntry => ({
    manager,
    operation: "Update",
    time,
    fieldsV1: fieldsV1 as NonNullable<ManagedFieldsEntry["fieldsV1"]>,
  });
  const conditions = { ".": {}, 'k:{"type":"Ready"}': { ".": {}, "f:status": {}, "f:type": {} } };
  const entries = [
    update("early", { "f:spec": { "f:size": {} } }),
    update("user", {
      "f:metadata": { "f:labels": { "f:app.kubernetes.io/name": {} } },
      "f:spec": { "f:size": {}, "f:tags": {} },
    }),
    update("kubelet", { "f:status": { "f:conditions": conditions } }),
    update("late", { "f:metadata": { "f:labels": { "f:a": {} } } }),
  ].map((entry) => (entry.manager === "early" ? { ...entry, time: "2029-01-01T00:00:00Z" } : entry));
  assert.equal(writerOf(entries, ["spec.size"]), "user");
  assert.equal(writerOf(entries, ["spec.tags[0]"]), "user", "an atomic list is owned as a whole");
  assert.equal(writerOf(entries, ["status.conditions[Ready].status"]), "kubelet");
  assert.equal(writerOf(entries, ['metadata.labels["app.kubernetes.io/name"]']), "user");
  assert.equal(writerOf(entries, ["data.gone"]), "late", "nobody owns what was removed");
  assert.equal(writerOf([], ["spec.size"]), undefined);
});
