import assert from "node:assert/strict";
import { test } from "node:test";
import type { StoredObject } from "@capstan/model";
import { isPaused, pauseEvent } from "./pause.ts";

function annotated(value: string): StoredObject {
  const annotations = { "capstan.dev/pause": value };
  const metadata = { name: "a", uid: "u", resourceVersion: "1", creationTimestamp: "", annotations };
  return { apiVersion: "v1", kind: "ConfigMap", metadata };
}

const none = (): undefined => undefined;

const box = { operator: "shop", controller: "box", controllers: ["box", "lid"] };

test("whoever means a pause in a hurry gets one", () => {
  for (const value of ["true", "True", " true ", "TRUE", "yes", "on", "1", "t", "box", "lid, box", "shop/box"])
    assert.ok(isPaused(annotated(value), box, none), value);
});

test("what means none, or others, pauses nobody", () => {
  for (const value of ["", " ", "false", "False", "no", "off", "0", "lid", "shop/lid", "other/box", "lid,typo"])
    assert.ok(!isPaused(annotated(value), box, none), value);
});

test("a value that names nobody was meant as a pause: it is one, and a warning says so", () => {
  for (const value of ["ture", "until monday", "bx", "bx,ld"]) {
    assert.ok(isPaused(annotated(value), box, none), value);
    const { type, note } = pauseEvent(annotated(value), box, none);
    assert.equal(type, "Warning");
    assert.ok(note.includes(`it says "${value}", which names no controller (box, lid). Write "true" for all`), note);
  }
  assert.equal(pauseEvent(annotated("box"), box, none).type, "Normal");
});
