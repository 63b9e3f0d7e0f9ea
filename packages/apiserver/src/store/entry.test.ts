import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { deepFreeze, type KubeObject } from "@capstan/model";
import { systemClock } from "../clock.ts";
import { atRevision, Entry } from "./entry.ts";
import { Store } from "./store.ts";

const widget = (): KubeObject =>
  deepFreeze({
    kind: "Widget",
    apiVersion: "v1",
    metadata: { name: "one", labels: { a: "<ü🙂>" } },
    spec: { z: 1, a: [1] },
  });

function gc(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
}

test("a released value is recreated from the text, frozen and equal", async () => {
  const collect = gc();
  const entry = Entry.of("default/one", 7, widget());
  entry.letGo();
  const text = entry.json;
  for (let turn = 0; turn < 3; turn++) {
    // A weak reference is cleared only between two jobs.
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    const { object } = entry;
    assert.deepEqual(object, widget());
    assert.equal(JSON.stringify(object), JSON.stringify(widget()));
    assert.ok(Object.isFrozen(object.metadata));
    assert.equal(entry.object, object);
  }
  assert.equal(entry.json, text);
  assert.match(text, /\\u003cü🙂\\u003e/);
});

test("the value is the stored one until the entry releases it", () => {
  const object = widget();
  const entry = Entry.of("default/one", 7, object);
  assert.ok(entry.holds(object));
  assert.equal(entry.object, object);
  entry.letGo();
  assert.ok(!entry.holds(object));
  assert.deepEqual(entry.object, object);
});

test("the bytes are the text in UTF-8 and a newline", () => {
  const entry = Entry.of("default/one", 7, widget());
  assert.equal(Buffer.from(entry.line).toString(), `${entry.json}\n`);
});

test("the same object at another revision differs only in its resourceVersion", () => {
  const entry = Entry.of("default/one", 7, widget());
  const later = atRevision(entry, 9);
  assert.equal(later.revision, 9);
  assert.deepEqual(later.object, { ...widget(), metadata: { ...widget().metadata, resourceVersion: "9" } });
  assert.deepEqual(JSON.parse(later.json), later.object);
});

test("a store does not retain the values of old writes", async () => {
  const collect = gc();
  const store = new Store({ clock: systemClock });
  const written: WeakRef<KubeObject>[] = [];
  for (let at = 0; at < 100; at++) {
    const entry = store.put("things", `ns/${at}`, { kind: "Thing", apiVersion: "v1", metadata: { name: `${at}` } });
    written.push(new WeakRef(entry.object));
  }
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  assert.equal(written[0]?.deref(), undefined);
  assert.equal(store.get("things", "ns/0")?.object.metadata.name, "0");
});
