import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as afterInput } from "node:timers/promises";
import { systemStopwatch, type Stopwatch } from "../clock.ts";
import type { Flow } from "./flow.ts";
import { Pacer } from "./pacer.ts";

const flow = (level: string, key: string, { weight = 1, work = "get" } = {}): Flow => {
  return { schemaUid: "", levelUid: "", level, key, weight, work, limits: undefined };
};

interface World {
  readonly pacer: Pacer;
  /** Runs a request that takes so many milliseconds of a stopwatch that nothing else moves. */
  readonly run: (flow: Flow, cost: number, name?: string) => Promise<void>;
  /** The names of the requests that have run. */
  readonly done: readonly string[];
}

function start(): World {
  let now = 0;
  const stopwatch: Stopwatch = { ...systemStopwatch, now: () => now, cpu: () => now };
  const pacer = new Pacer(stopwatch);
  const done: string[] = [];
  return {
    pacer,
    done,
    async run(one, cost, name = one.key) {
      const turns = pacer.request(one);
      await turns.next();
      now += cost;
      done.push(name);
      turns.end();
    },
  };
}

test("a flood of one flow does not delay a request of another level by its length", async () => {
  const { run, done } = start();
  const flood = Array.from({ length: 20 }, (_, at) => run(flow("workload-low", "mallory"), 50, `flood ${at}`));
  await Promise.all([...flood, run(flow("leader-election", "ann"), 50, "lease")]);
  assert.equal(done.length, 21);
  assert.ok(done.indexOf("lease") <= 2, `the lease was number ${done.indexOf("lease")}`);
});

test("a flood of one flow does not delay another flow of its level by its length", async () => {
  const { run, done } = start();
  const flood = Array.from({ length: 20 }, (_, at) => run(flow("workload-low", "mallory"), 50, `flood ${at}`));
  await Promise.all([...flood, run(flow("workload-low", "ann"), 50, "calm")]);
  assert.ok(done.indexOf("calm") <= 2, `the request was number ${done.indexOf("calm")}`);
});

test("cheap requests do not wait for a round of 200 flows with expensive ones", async () => {
  const { run, done } = start();
  const over = new AbortController();
  const crowd = Array.from({ length: 200 }, async (_, at) => {
    while (!over.signal.aborted) await run(flow("workload-low", `bad-${at}`, { work: "list" }), 20);
  });
  while (done.length < 250) await afterInput();
  const waits: number[] = [];
  for (let call = 0; call < 20; call++) {
    while (done.length < 250 + call * 50) await afterInput();
    const before = done.length;
    await run(flow("workload-low", "good"), 1);
    waits.push(done.length - before);
  }
  const served = new Set(done);
  over.abort();
  await Promise.all(crowd);
  assert.ok(Math.max(...waits) <= 3, `requests that went first: ${waits.join()}`);
  assert.equal(served.size, 201, "each flow of the crowd is served as well");
});

test("flows with requests of the same cost get the same time", async () => {
  const { run, done } = start();
  const over = new AbortController();
  const ask = async (key: string): Promise<void> => {
    while (!over.signal.aborted) await run(flow("workload-low", key), 3);
  };
  // Nine requests of one flow, and one of the other, are always under way.
  const all = [...Array.from({ length: 9 }, () => ask("many")), ask("one")];
  while (done.length < 400) await afterInput();
  const share = done.slice(100).filter((name) => name === "one").length / (done.length - 100);
  over.abort();
  await Promise.all(all);
  assert.ok(share > 0.4 && share < 0.6, `the part of the flow with one request: ${share}`);
});

test("levels get time by their weights", async () => {
  const { run, done } = start();
  const over = new AbortController();
  const ask = async (level: string, weight: number): Promise<void> => {
    while (!over.signal.aborted) await run(flow(level, level, { weight }), 3);
  };
  const all = [3, 1].flatMap((weight) => Array.from({ length: 3 }, () => ask(`level ${weight}`, weight)));
  while (done.length < 400) await afterInput();
  const share = done.slice(100).filter((name) => name === "level 3").length / (done.length - 100);
  over.abort();
  await Promise.all(all);
  assert.ok(share > 0.65 && share < 0.85, `the part of the level with three quarters of the weights: ${share}`);
});

test("what a flow has used while it was alone does not count against it later", async () => {
  const { run, done } = start();
  const good = flow("workload-low", "good");
  for (let at = 0; at < 100; at++) {
    await run(good, 1);
    await afterInput();
  }
  const crowd = Array.from({ length: 20 }, async (_, at) => {
    for (let call = 0; call < 20; call++) await run(flow("workload-low", `bad-${at}`), 1, "bad");
  });
  while (done.length < 130) await afterInput();
  await run(good, 1, "late");
  await Promise.all(crowd);
  assert.ok(done.indexOf("late") < 200, `the request was number ${done.indexOf("late")}`);
});

test("a cheap request does not wait for requests whose cost is guessed to be high", async () => {
  const { run, done } = start();
  const crowd = Array.from({ length: 50 }, (_, at) =>
    run({ ...flow("workload-low", `bad-${at}`, { work: "list" }), guess: 5 }, 20, "bad"),
  );
  await run(flow("workload-low", "good"), 1);
  assert.ok(done.length <= 4, `requests that went first: ${done.length - 1}`);
  await Promise.all(crowd);
});

test("what was not measured is charged as well", async () => {
  const { run, pacer, done } = start();
  const sender = pacer.request(flow("workload-low", "sender"));
  sender.charge(1000);
  const others = Array.from({ length: 10 }, (_, at) => run(flow("workload-low", "other"), 50, `other ${at}`));
  await Promise.all([...others, run(flow("workload-low", "sender"), 50, "sender")]);
  assert.equal(done.at(-1), "sender");
});

test("a request does not wait while the turn is short", async () => {
  const stopwatch: Stopwatch = { ...systemStopwatch, now: () => 0, cpu: () => 0 };
  const pacer = new Pacer(stopwatch);
  assert.equal(pacer.request(flow("a", "b")).next(), undefined);
  await afterInput();
});

test("a request that is over leaves the queue", async () => {
  const { run, pacer, done } = start();
  const all = Array.from({ length: 10 }, (_, at) => run(flow("workload-low", `flow ${at}`), 50));
  const watch = pacer.request(flow("workload-low", "watcher"));
  const wait = watch.next();
  assert.ok(wait !== undefined);
  watch.end();
  await wait;
  assert.ok(done.length <= 1, "it does not wait for the others");
  await Promise.all(all);
  assert.equal(done.length, 10);
});
