/** A million keys in one queue: each is reconciled with its triggers, and none waits for all others. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Queue } from "../src/queue/queue.ts";
import { VirtualClock } from "../src/testing/clock.ts";

const KEYS = 1_000_000;
const TENANTS = 1_000;
/** One key in so many is requested later, and one twice. */
const SOME = 10;
const DELAY = 60_000;

const keyAt = (at: number): string => `tenant-${at % TENANTS}/object-${at}`;
const placeOf = (key: string): number => Number(key.slice(key.lastIndexOf("-") + 1));
const isLate = (at: number): boolean => at % SOME === 0;
const isTwice = (at: number): boolean => at % SOME === 1;

function fullQueue(): { readonly clock: VirtualClock; readonly queue: Queue<number> } {
  const clock = new VirtualClock();
  const queue = new Queue<number>({ clock, random: () => 0.5, onReady: () => undefined });
  for (let at = 0; at < KEYS; at++) {
    queue.add(keyAt(at), { trigger: at, delay: isLate(at) ? DELAY : 0 });
    if (isTwice(at)) queue.add(keyAt(at), { trigger: -at });
  }
  return { clock, queue };
}

test("a million keys get one reconcile each when it is due, with all their triggers", async () => {
  const { clock, queue } = fullQueue();
  const late = KEYS / SOME;
  assert.deepEqual(queue.counts, { ready: KEYS - late, waiting: late, running: 0 });
  const reconciles = new Uint8Array(KEYS);
  const takeAll = (): number => {
    let taken = 0;
    for (let request = queue.take(); request !== undefined; request = queue.take(), taken++) {
      const at = placeOf(request.key);
      reconciles[at] = (reconciles[at] ?? 0) + 1;
      const { triggers } = request;
      assert.ok(
        triggers[0] === at && triggers.length === (isTwice(at) ? 2 : 1),
        `${request.key} has triggers ${triggers.join()}`,
      );
      queue.done(request.key, { then: "forget" });
    }
    return taken;
  };
  assert.equal(takeAll(), KEYS - late);
  await clock.advance(DELAY);
  assert.equal(takeAll(), late);
  assert.equal(reconciles.indexOf(0), -1, "no key was forgotten");
  assert.equal(
    reconciles.findIndex((count) => count > 1),
    -1,
    "no key had two reconciles",
  );
  assert.deepEqual(queue.counts, { ready: 0, waiting: 0, running: 0 });
});

test("the last key waits for one reconcile per tenant, not for a million keys", () => {
  const { queue } = fullQueue();
  queue.add("newcomer/object-0");
  let before = 0;
  for (let request = queue.take(); request?.key !== "newcomer/object-0"; request = queue.take()) {
    assert.ok(request !== undefined && before <= TENANTS, `the newcomer waits for ${before} reconciles`);
    before++;
    queue.done(request.key, { then: "forget" });
  }
});
