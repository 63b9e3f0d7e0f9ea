import assert from "node:assert/strict";
import { test } from "node:test";
import { Pod } from "@capstan/kinds/v1";
import { VirtualClock } from "@capstan/runtime/testing";
import { Ledger } from "./ledger.ts";

const pod = (version: string, more: object = {}): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "x",
    namespace: "a",
    uid: "1",
    resourceVersion: version,
    creationTimestamp: "2026-01-01T00:00:00Z",
    ...more,
  },
});
const leaving = { deletionTimestamp: "2026-01-01T00:00:01Z" };
const all = (): boolean => true;

test("a pod that was started is known before the cache shows it", () => {
  const ledger = new Ledger(Pod, new VirtualClock());
  ledger.wrote(pod("5"));
  assert.deepEqual(ledger.current([], all), [pod("5")]);
});

test("a pod that is on its way out is known as such, one that was gone at once is gone", () => {
  const ledger = new Ledger(Pod, new VirtualClock());
  const slow = pod("6", { ...leaving, deletionGracePeriodSeconds: 30 });
  ledger.deleted(pod("5"), slow);
  assert.deepEqual(ledger.current([pod("5")], all), [slow]);
  ledger.deleted(pod("5"), pod("6", { ...leaving, deletionGracePeriodSeconds: 0 }));
  assert.deepEqual(ledger.current([], all), []);
  assert.deepEqual(ledger.current([pod("5")], all), []);
});

test("what the cache never shows is not believed in forever", async () => {
  const clock = new VirtualClock();
  const ledger = new Ledger(Pod, clock);
  ledger.wrote(pod("5"));
  await clock.advance(31_000);
  assert.deepEqual(ledger.current([], all), []);
});
