import assert from "node:assert/strict";
import { test } from "node:test";
import type { StoredObject } from "@capstan/model";
import { isPaused, misspeltPause } from "./pause.ts";

function annotated(value: string): StoredObject {
  const annotations = { "capstan.dev/pause": value };
  const metadata = { name: "a", uid: "u", resourceVersion: "1", creationTimestamp: "", annotations };
  return { apiVersion: "v1", kind: "ConfigMap", metadata };
}

const none = (): undefined => undefined;

const box = { operator: "shop", controller: "box", controllers: ["box", "lid"] };

test("common spellings of true pause the object", () => {
  for (const value of ["true", "True", " true ", "TRUE", "yes", "on", "1", "t", "box", "lid, box", "shop/box"])
    assert.ok(isPaused(annotated(value), box, none), value);
});

test("false values and names of other controllers do not pause", () => {
  for (const value of ["", " ", "false", "False", "no", "off", "0", "lid", "shop/lid", "other/box", "cache", "ture"])
    assert.ok(!isPaused(annotated(value), box, none), value);
});

test("an unknown name is reported, unless it may belong to another operator", () => {
  for (const value of ["ture", "until monday", "bx", "bx,ld"]) {
    const { type, note } = misspeltPause(annotated(value), box) ?? assert.fail(value);
    assert.equal(type, "Warning");
    assert.ok(note.startsWith("box goes on with this object: "), note);
    assert.ok(
      note.includes(`says "${value}", which names no controller of shop (box, lid). Write "true" for all`),
      note,
    );
  }
  for (const value of ["", "true", "no", "box", "lid", "lid,typo", "other/cache"])
    assert.equal(misspeltPause(annotated(value), box), undefined, value);
});
