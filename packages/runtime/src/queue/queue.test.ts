import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { VirtualClock } from "../testing/clock.ts";
import { nextRetry, usualCurves } from "./backoff.ts";
import type { Retries } from "./backoff.ts";
import { Queue } from "./queue.ts";
import type { QueueAction, QueueOptions } from "./queue.ts";

function setUp(options: Partial<QueueOptions> = {}): { clock: VirtualClock; queue: Queue<string> } {
  const clock = new VirtualClock();
  const queue = new Queue<string>({ clock, random: () => 1, onReady: () => undefined, ...options });
  return { clock, queue };
}

function takeAll(queue: Queue<string>): string[] {
  const keys: string[] = [];
  for (let request = queue.take(); request !== undefined; request = queue.take()) {
    keys.push(request.key);
    queue.done(request.key, { then: "forget" });
  }
  return keys;
}

describe("queue", () => {
  test("returns each key once, however often it was requested, with all triggers", () => {
    const { queue } = setUp();
    queue.add("a", { trigger: "one" });
    queue.add("b", { trigger: "two" });
    queue.add("a", { trigger: "three" });
    assert.deepEqual(queue.take()?.triggers, ["one", "three"]);
    assert.deepEqual(queue.take()?.key, "b");
    assert.equal(queue.take(), undefined);
  });

  test("never returns a running key, and returns it afterwards if requested meanwhile", () => {
    const { queue } = setUp();
    queue.add("a");
    queue.take();
    queue.add("a", { trigger: "meanwhile" });
    assert.equal(queue.take(), undefined);
    queue.done("a", { then: "forget" });
    assert.deepEqual(queue.take()?.triggers, ["meanwhile"]);
  });

  test("delays a key that requests another reconcile at once", async () => {
    const { queue, clock } = setUp();
    queue.add("a");
    queue.take();
    queue.done("a", { then: "wait", delay: 0 });
    assert.equal(queue.take(), undefined);
    await clock.advance(10);
    assert.equal(queue.take()?.key, "a");
  });

  test("drops a request with only self-inflicted events", () => {
    const { queue } = setUp();
    queue.add("a");
    queue.take();
    queue.add("a", { trigger: "echo" });
    queue.done("a", { then: "forget" }, (trigger) => trigger === "echo");
    assert.equal(queue.take(), undefined);
    assert.deepEqual(queue.counts, { ready: 0, waiting: 0, running: 0 });
  });

  for (const echoes of [1, 16, 17, 40, 255, 256, 257, 1000]) {
    test(`keeps an event that follows ${echoes} self-inflicted ones`, () => {
      const { queue } = setUp();
      queue.add("a");
      queue.take();
      for (let at = 0; at < echoes; at++) queue.add("a", { trigger: "echo" });
      queue.add("a", { trigger: "news" });
      queue.done("a", { then: "forget" }, (trigger) => trigger === "echo");
      assert.equal(queue.take()?.key, "a");
    });
  }

  test("keeps a request without a trigger among self-inflicted events", () => {
    const { queue } = setUp();
    queue.add("a");
    queue.take();
    queue.add("a", { trigger: "echo" });
    queue.add("a");
    queue.done("a", { then: "forget" }, (trigger) => trigger === "echo");
    assert.equal(queue.take()?.key, "a");
  });

  test("recognizes the self-inflicted events of many children, within a limit", () => {
    const { queue } = setUp();
    queue.add("a");
    for (let request = 0; request < 2; request++) {
      queue.take();
      for (let at = 0; at < 200; at++) queue.add("a", { trigger: "echo" });
      queue.done("a", { then: "forget" }, (trigger) => trigger === "echo");
      assert.equal(queue.take(), undefined);
      for (let at = 0; at < 20; at++) queue.add("a", { trigger: "news" });
    }
    assert.equal(queue.take()?.triggers.length, 16);
  });

  test("uses the earliest requested time", async () => {
    const { clock, queue } = setUp();
    queue.add("a", { delay: 1000 });
    queue.add("a", { delay: 100 });
    queue.add("a", { delay: 500 });
    await clock.advance(99);
    assert.equal(queue.take(), undefined);
    await clock.advance(1);
    assert.equal(queue.take()?.key, "a");
  });

  test("a tenant with a thousand keys does not delay another with one key", () => {
    const { queue } = setUp();
    for (let at = 0; at < 1000; at++) queue.add(`big/${at}`);
    queue.add("small/0");
    assert.ok(takeAll(queue).indexOf("small/0") <= 1);
  });

  test("prefers high priority, and ages low priority until it is served", () => {
    const { queue } = setUp();
    queue.add("a/low", { priority: -100 });
    queue.add("a/high");
    assert.equal(queue.take()?.key, "a/high");
    queue.done("a/high", { then: "forget" });
    let others = 0;
    for (;;) {
      // A new tenant for each request: no tenant in front ever has a backlog.
      queue.add(`tenant-${others}/x`);
      const request = queue.take();
      assert.ok(request);
      queue.done(request.key, { then: "forget" });
      if (request.key === "a/low") break;
      assert.ok(++others < 10_000, "the low priority starves");
    }
    assert.ok(others > 100);
  });

  test("moves a waiting key forward when it is requested with more priority", () => {
    const { queue } = setUp();
    for (let at = 0; at < 50; at++) queue.add(`a/${at}`, { priority: -100 });
    queue.add("a/49", { priority: 0 });
    assert.equal(queue.take()?.key, "a/49");
  });

  test("respects the rate limit", async () => {
    const { clock, queue } = setUp({ rate: { perSecond: 10, burst: 5 } });
    for (let at = 0; at < 100; at++) queue.add(`a/${at}`);
    assert.equal(takeAll(queue).length, 5);
    let taken = 0;
    for (let second = 0; second < 50; second++) {
      await clock.advance(100);
      taken += takeAll(queue).length;
    }
    assert.equal(taken, 50);
  });
});

describe("backoff", () => {
  const retry = (failure: "error" | "conflict" | "rejected"): QueueAction => ({ then: "retry", failure });

  test("doubles with each retry that was due, and resets after success", async () => {
    const { clock, queue } = setUp();
    queue.add("a");
    const waits: number[] = [];
    for (let attempt = 0; attempt < 5; attempt++) {
      queue.take();
      queue.done("a", retry("error"));
      const due = queue.nextDue ?? 0;
      waits.push(due - clock.now());
      await clock.advance(due - clock.now());
    }
    assert.deepEqual(waits, [5, 10, 20, 40, 80]);
    queue.take();
    queue.done("a", { then: "forget" });
    assert.equal(queue.retriesOf("a"), undefined);
  });

  test("is not advanced by a run that an unrelated event caused", async () => {
    const { clock, queue } = setUp();
    queue.add("a");
    queue.take();
    queue.done("a", retry("rejected"));
    const { due } = queue.retriesOf("a") ?? { due: 0 };
    for (let event = 0; event < 10; event++) {
      await clock.advance(100);
      queue.add("a");
      queue.take();
      queue.done("a", retry("rejected"));
    }
    assert.deepEqual(queue.retriesOf("a"), { failure: "rejected", attempts: 1, waits: { rejected: 1 }, due });
    assert.equal(queue.nextDue, due);
  });

  test("resets for another kind of failure, and when the desired state changed", () => {
    const { queue } = setUp();
    queue.add("a");
    queue.take();
    queue.done("a", retry("rejected"));
    queue.add("a", { fresh: true });
    assert.equal(queue.take()?.failures, 0);
    queue.done("a", retry("conflict"));
    assert.equal(queue.retriesOf("a")?.failure, "conflict");
  });

  test("advances each curve when two kinds of failure alternate, and counts them all", async () => {
    const { clock, queue } = setUp();
    queue.add("a");
    const waits: number[] = [];
    for (let attempt = 0; attempt < 6; attempt++) {
      assert.equal(queue.take()?.failures, attempt);
      queue.done("a", retry(attempt % 2 === 0 ? "error" : "conflict"));
      const due = queue.nextDue ?? 0;
      waits.push(due - clock.now());
      await clock.advance(due - clock.now());
    }
    assert.deepEqual(waits, [5, 5, 10, 10, 20, 20]);
  });

  test("ignores a failure of another kind in a run before the retry was due", () => {
    let kept: Retries | undefined;
    for (const [now, failure] of (["rejected", "error", "rejected", "error"] as const).entries())
      kept = nextRetry(kept, { failure, now }, usualCurves, () => 1);
    assert.equal(kept?.attempts, 1);
  });

  test("counts failures however often events arrive in between", () => {
    let kept: Retries | undefined;
    for (let now = 0; now < 10_000; now++) {
      const failure = now % 2 === 0 ? "rejected" : "error";
      kept = nextRetry(kept, { failure, now }, usualCurves, () => 1);
      assert.ok(kept.due > now);
    }
    assert.ok((kept?.attempts ?? 0) > 5, `${kept?.attempts}`);
  });

  test("respects Retry-After", () => {
    const { clock, queue } = setUp();
    queue.add("a");
    queue.take();
    queue.done("a", { then: "retry", failure: "throttled", atLeast: 42_000 });
    assert.equal((queue.nextDue ?? 0) - clock.now(), 42_000);
  });
});

describe("queue, against a model", () => {
  /** The minimum delay of a key that requests another reconcile. */
  const minRequeueDelay = 10;
  type Step =
    | { readonly do: "add"; readonly key: string; readonly delay: number; readonly priority: number }
    | { readonly do: "take" }
    | { readonly do: "done"; readonly after: QueueAction }
    | { readonly do: "pass"; readonly time: number };

  const keys = fc.constantFrom("a/1", "a/2", "a/3", "b/1", "c");
  const afters: fc.Arbitrary<QueueAction> = fc.oneof(
    fc.constant<QueueAction>({ then: "forget" }),
    fc.record({ then: fc.constant("wait" as const), delay: fc.integer({ min: 0, max: 500 }) }),
    fc.record({ then: fc.constant("retry" as const), failure: fc.constantFrom("error", "conflict") }),
  );
  const steps: fc.Arbitrary<Step> = fc.oneof(
    fc.record({
      do: fc.constant("add" as const),
      key: keys,
      delay: fc.integer({ min: 0, max: 300 }),
      priority: fc.integer({ min: -2, max: 2 }),
    }),
    fc.constant<Step>({ do: "take" }),
    fc.record({ do: fc.constant("done" as const), after: afters }),
    fc.record({ do: fc.constant("pass" as const), time: fc.integer({ min: 0, max: 200 }) }),
  );

  /** The invariants of the queue: when each key may run next, and which are running. */
  class Model {
    readonly due = new Map<string, number>();
    readonly running = new Map<string, number>();

    request(key: string, at: number): void {
      const map = this.running.has(key) ? this.running : this.due;
      map.set(key, Math.min(map.get(key) ?? Infinity, at));
    }

    ready(now: number): string[] {
      return [...this.due].filter(([, at]) => at <= now).map(([key]) => key);
    }
  }

  async function run(script: readonly Step[]): Promise<void> {
    const { clock, queue } = setUp();
    const model = new Model();
    for (const step of script) {
      const now = clock.now();
      switch (step.do) {
        case "add":
          queue.add(step.key, { delay: step.delay, priority: step.priority });
          model.request(step.key, now + step.delay);
          break;
        case "take": {
          const request = queue.take();
          const ready = model.ready(now);
          assert.equal(request !== undefined, ready.length > 0);
          if (request === undefined) break;
          assert.ok(ready.includes(request.key), `${request.key} was not ready`);
          model.due.delete(request.key);
          model.running.set(request.key, Infinity);
          break;
        }
        case "done": {
          const [key, again] = [...model.running][0] ?? [];
          if (key === undefined || again === undefined) break;
          queue.done(key, step.after);
          model.running.delete(key);
          const own =
            step.after.then === "forget"
              ? Infinity
              : step.after.then === "wait"
                ? now + Math.max(step.after.delay, minRequeueDelay)
                : (queue.retriesOf(key)?.due ?? 0);
          const at = Math.min(again, own);
          if (at < Infinity) model.due.set(key, at);
          break;
        }
        case "pass":
          await clock.advance(step.time);
          break;
      }
      const ready = model.ready(clock.now()).length;
      assert.deepEqual(queue.counts, { ready, waiting: model.due.size - ready, running: model.running.size });
    }
  }

  test("matches the model for any sequence of requests, reconciles and waits", async () => {
    await fc.assert(fc.asyncProperty(fc.array(steps, { maxLength: 60 }), run), { numRuns: 300 });
  });
});
