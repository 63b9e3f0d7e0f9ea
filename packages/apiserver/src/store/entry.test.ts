import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { deepFreeze, type KubeObject } from "@capstan/model";
import { Entry } from "./entry.ts";

const widget = (): KubeObject =>
  deepFreeze({
    kind: "Widget",
    apiVersion: "v1",
    metadata: { name: "one", labels: { a: "<b>" } },
    spec: { z: 1, a: [1] },
  });

test("the value outlives its memory: it is made again from the text, frozen and the same", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const entry = new Entry("default/one", 7, widget());
  const text = entry.json;
  for (let turn = 0; turn < 3; turn++) {
    // A weak reference lets go only between two jobs.
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    const { object } = entry;
    assert.deepEqual(object, widget());
    assert.equal(JSON.stringify(object), JSON.stringify(widget()));
    assert.ok(Object.isFrozen(object.metadata));
    assert.equal(entry.object, object);
  }
  assert.equal(entry.json, text);
  assert.match(text, /\\u003cb\\u003e/);
});

test("before anybody asked for the text, the value is the one that was put in", () => {
  const object = widget();
  assert.equal(new Entry("default/one", 7, object).object, object);
});
