import assert from "node:assert/strict";
import { test } from "node:test";
import type { StoredObject } from "@capstan/model";
import { isPaused } from "./pause.ts";

function annotated(value: string): StoredObject {
  const annotations = { "capstan.dev/pause": value };
  const metadata = { name: "a", uid: "u", resourceVersion: "1", creationTimestamp: "", annotations };
  return { apiVersion: "v1", kind: "ConfigMap", metadata };
}

const none = (): undefined => undefined;

test("whoever means a pause in a hurry gets one", () => {
  for (const value of ["true", "True", " true ", "TRUE", "yes", "on", "1", "t", "box", "other, box"])
    assert.ok(isPaused(annotated(value), "box", none), value);
});

test("what means none, or others, pauses nobody", () => {
  for (const value of ["", " ", "false", "False", "no", "off", "0", "other"])
    assert.ok(!isPaused(annotated(value), "box", none), value);
});
