/** The user's line is in every report of an error: the history, the event, the condition, the response of a webhook. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { controller, defineResource, operator, requeue, s } from "capstan";
import type { Controller } from "capstan";
import { Event } from "capstan/kinds/events.k8s.io/v1";
import { testOperator } from "capstan/testing";

const Site = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Site",
  spec: s.object({ text: s.string().default("") }),
  conditions: { Ready: "it answers" },
  validate: ({ object }) => {
    if (object.spec.text === "broken") throw new TypeError("a mistake in validate");
  },
  default: (draft) => {
    if (draft.spec.text === "half") throw new TypeError("a mistake in default");
  },
});

const here = /\(at test\/error-places\.test\.ts:\d+:\d+\)$/u;

/** The notes of the events, and the condition Ready, of the Site `a` after some virtual time. */
async function reportsOf(site: Controller, { deleted = false, within = "30s" as const } = {}) {
  const world = await testOperator(operator({ name: "test", controllers: [site] }), { failures: "expected" });
  await world.apply(Site, "a", { spec: {} });
  await world.advance(within);
  if (deleted) await world.delete(Site, "a");
  if (deleted) await world.advance(within);
  const events = await world.list(Event);
  const conditions: readonly { type: string; status: string; reason: string; message: string }[] =
    (await world.get(Site, "a"))?.status?.conditions ?? [];
  return { world, events, conditions, last: world.running.explain("site", "default/a").at(-1) };
}

test("a failed reconcile names the line in history, event and condition", async () => {
  const site = controller(Site, {}, ({ status }) => {
    status.condition("Ready", true);
    throw new TypeError("no such backend");
  });
  const { world, events, conditions, last } = await reportsOf(site);
  await using _ = world;
  assert.match(last?.where ?? "", /error-places\.test\.ts:\d+:\d+$/u);
  const event = events.find(({ reason }) => reason === "ReconcileFailed");
  assert.match(event?.note ?? "", /^no such backend \(at /u);
  assert.match(event?.note ?? "", here);
  assert.match(conditions.find(({ type }) => type === "Stalled")?.message ?? "", here);
});

test("an object that is given up still names the line", async () => {
  const site = controller(Site, { maxAttempts: 2 }, () => {
    throw new TypeError("no such backend");
  });
  const { world, events, last } = await reportsOf(site);
  await using _ = world;
  assert.match(last?.message ?? "", /^Gave up after 2 attempts/u);
  assert.match(last?.where ?? "", /error-places\.test\.ts/u);
  assert.match(events.find(({ reason }) => reason === "ReconcileRefused")?.note ?? "", here);
});

test("a write to an object of the cache names the line of the write", async () => {
  const site = controller(Site, {}, ({ object }) => {
    (object.spec as { text: string }).text = "mine";
  });
  const { world, last } = await reportsOf(site);
  await using _ = world;
  assert.match(last?.message ?? "", /^Cannot change spec\.text of Site default\/a/u);
  assert.match(last?.where ?? "", /error-places\.test\.ts/u);
});

test("an exception in a webhook function names the line in the response", async () => {
  await using world = await testOperator(
    operator({ name: "test", controllers: [controller(Site, {}, () => undefined)] }),
  );
  const reject = (text: string, pattern: RegExp): Promise<void> =>
    assert.rejects(world.apply(Site, "b", { spec: { text } }), (error: Error) => {
      assert.match(error.message, pattern);
      assert.match(error.message, /\(at test\/error-places\.test\.ts:\d+:\d+\)/u);
      return true;
    });
  await reject("broken", /validate function of Site failed: a mistake in validate/u);
  await reject("half", /default function of Site failed: a mistake in default/u);
});

test("a cleanup that waits shows why: an event, and Ready is false", async () => {
  const cleanup = () => requeue("1m", { reason: "waits for the registry" });
  const site = controller(Site, { cleanup }, ({ status }) => status.condition("Ready", true));
  const { world, events, conditions } = await reportsOf(site, { deleted: true });
  await using _ = world;
  const event = events.find(({ reason }) => reason === "CleanupWaiting");
  assert.equal(event?.note, "waits for the registry");
  const ready = conditions.find(({ type }) => type === "Ready");
  assert.equal(ready?.status, "False");
  assert.equal(ready?.reason, "CleanupWaiting");
  assert.equal(ready?.message, "site: waits for the registry");
});
