import assert from "node:assert/strict";
import { test } from "node:test";
import { Pod } from "@capstan/kinds/v1";
import { VirtualClock } from "@capstan/runtime/testing";
import { MutationCache } from "./mutation-cache.ts";

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
const terminating = { deletionTimestamp: "2026-01-01T00:00:01Z" };
const all = (): boolean => true;

test("a created pod is visible before the informer shows it", () => {
  const mutations = new MutationCache(Pod, new VirtualClock());
  mutations.wrote(pod("5"));
  assert.deepEqual(mutations.current([], all), [pod("5")]);
});

test("a terminating pod is shown as such, and a deleted pod is hidden", () => {
  const mutations = new MutationCache(Pod, new VirtualClock());
  const slow = pod("6", { ...terminating, deletionGracePeriodSeconds: 30 });
  mutations.deleted(pod("5"), slow);
  assert.deepEqual(mutations.current([pod("5")], all), [slow]);
  mutations.deleted(pod("5"), pod("6", { ...terminating, deletionGracePeriodSeconds: 0 }));
  assert.deepEqual(mutations.current([], all), []);
  assert.deepEqual(mutations.current([pod("5")], all), []);
});

test("an entry that the informer never shows expires", async () => {
  const clock = new VirtualClock();
  const mutations = new MutationCache(Pod, clock);
  mutations.wrote(pod("5"));
  await clock.advance(31_000);
  assert.deepEqual(mutations.current([], all), []);
});
